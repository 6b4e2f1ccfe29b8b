const unsafeName = '__proto__';
/** Of its characters, written in another way: real files escape quotes and signs, but no letters. */
const escapedLetter = /\\u00(?:5f|6f|7[024])/i;

/**
 * Whether a record has a member named `__proto__`, at any depth. No collector writes one, and a program that copies
 * it as it copies others changes the nature of its objects.
 */
export function hasUnsafeName(text: string, value: unknown): boolean {
  // Hardly any text gets past this, which costs next to nothing.
  if (!text.includes(unsafeName) && !(text.includes('\\u00') && escapedLetter.test(text))) return false;
  return isUnsafe(value);
}

function isUnsafe(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, unsafeName) || Object.values(value).some(isUnsafe);
}
