// With the u flag a well-formed surrogate pair is one character, so `\p{Surrogate}` finds only lone halves.
const unstorable = /[\0\p{Surrogate}]/gu;

/**
 * Replaces U+0000 and lone surrogates by U+FFFD: PostgreSQL text cannot hold the first, and UTF-8 cannot
 * hold the second.
 */
export function cleanText(text: string): string {
  return text.replace(unstorable, '\ufffd');
}

/**
 * Control characters, line breaks, marks that turn the direction of writing, and what stands for a character that
 * could not be stored: in a name they would make one thing look like another.
 */
export function hasHiddenCharacters(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u.test(text);
}

/**
 * Untrusted text for a line of a log or a terminal: nothing in it can start a line of its own, steer the terminal or
 * turn the direction of writing. Such characters are written as `\u001b`, which is how JSON may write them too.
 */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The same for text that has lines of its own. */
export function onItsLines(text: string): string {
  return text.split('\n').map(onOneLine).join('\n');
}

/** How many characters `cleanText` would replace. */
export function countUnclean(text: string): number {
  return text.match(unstorable)?.length ?? 0;
}

/**
 * Orders strings by Unicode code point, which is also the order of their UTF-8 bytes (SQLite's BINARY and
 * PostgreSQL's "C" collation). JavaScript's `<` compares UTF-16 units and so puts U+10000 before U+E000.
 *
 * Text with lone surrogates still gets a consistent total order, after U+FFFF.
 */
export function compareCodePoints(a: string, b: string): number {
  const commonLength = Math.min(a.length, b.length);
  for (let index = 0; index < commonLength; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Moves the surrogates above U+E000..U+FFFF, because every character they spell lies above those. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Quotes untrusted text for a message: bounded, on one line, and without control characters. */
export function quoteShort(text: string, longest = 80): string {
  return JSON.stringify(text.length <= longest ? text : `${cleanText(text.slice(0, longest))}…`);
}

/** A character for a message: itself when it is visible ASCII, otherwise its number. */
export function nameCharacter(code: number): string {
  if (code > 0x20 && code < 0x7f) return `"${String.fromCharCode(code)}"`;
  return `character U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Where an editor shows the character at `offset`, both counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let column = 1;
  for (let index = 0; index < offset; index++) {
    const character = text[index] ?? '';
    const isLineEnd = character === '\n' || (character === '\r' && text[index + 1] !== '\n');
    if (isLineEnd) {
      line++;
      column = 1;
    } else if (!isLowSurrogate(character)) {
      column++;
    }
  }
  return { line, column };
}

function isLowSurrogate(character: string): boolean {
  return character >= '\udc00' && character <= '\udfff';
}

/** Offset of the first ill-formed UTF-8 sequence, or the length when there is none. */
export function invalidUtf8At(bytes: Uint8Array): number {
  let offset = 0;
  while (offset < bytes.length) {
    const length = utf8SequenceLength(bytes, offset);
    if (length === 0) break;
    offset += length;
  }
  return offset;
}

function utf8SequenceLength(bytes: Uint8Array, offset: number): number {
  const lead = bytes[offset] ?? 0xff;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let index = 1; index < length; index++) {
    const byte = bytes[offset + index] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  // These leads allow only some second bytes: the rest would be overlong, a surrogate, or past U+10FFFF.
  const second = bytes[offset + 1] ?? 0;
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
  if ((lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)) return 0;
  return length;
}
