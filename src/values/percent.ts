/** Rounded half up, without the drift of binary fractions. */
export function wholePercent(numerator: number, denominator: number): number {
  const percent = (200n * BigInt(numerator) + BigInt(denominator)) / (2n * BigInt(denominator));
  return Math.min(100, Number(percent));
}
