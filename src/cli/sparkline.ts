const blocks = '▁▂▃▄▅▆▇█';
const letters = '_.:-=+*#';
const maxWidth = 60;

/** One character for each value, from the lowest to the highest of them; of many values one out of several. */
export function sparkline(values: readonly number[], isUnicode: boolean): string {
  const levels = isUnicode ? blocks : letters;
  const shown = thinned(values);
  const lowest = Math.min(...shown);
  const span = Math.max(...shown) - lowest;
  return shown
    .map((value) => levels[span === 0 ? 0 : Math.round(((value - lowest) / span) * (levels.length - 1))])
    .join('');
}

/** Each column is the last value of its share, so that the line ends with the last of all. */
function thinned(values: readonly number[]): readonly number[] {
  if (values.length <= maxWidth) return values;
  return Array.from(
    { length: maxWidth },
    (_, column) => values[Math.floor(((column + 1) * values.length) / maxWidth) - 1] as number,
  );
}

/** As the C library decides it: the first of these that is set counts. */
export function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return /utf-?8/i.test(locale ?? '');
}
