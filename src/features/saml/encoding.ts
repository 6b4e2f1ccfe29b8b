import { isUtf8 } from 'node:buffer';
import { invalidUtf8At, quoteShort } from '../../values/text.ts';
import { XmlProblem } from './xml-problem.ts';

/** The text of an XML document. Only UTF-8 and marked UTF-16 are read: guessing would let a document say two things. */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new XmlProblem('the document is empty');
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeUtf8(bytes.subarray(3));
  const mark = (first << 8) | second;
  if (mark === 0xfeff || (mark === 0xfffe && (third !== 0 || fourth !== 0)))
    return decodeUtf16(bytes.subarray(2), mark === 0xfeff ? 'utf-16be' : 'utf-16le');
  if (first === 0 || second === 0 || mark === 0xfffe)
    throw new XmlProblem(
      'the document is UTF-16 without a byte order mark, or UTF-32: send it as UTF-8, or as UTF-16 with a mark',
    );
  return decodeUtf8(bytes);
}

function decodeUtf8(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Before the bytes themselves: a document in another encoding is seldom valid UTF-8.
  checkDeclared(view.subarray(0, 400).toString('latin1'), 'UTF-8', ['utf-8']);
  if (isUtf8(view)) return view.toString('utf8');
  throw new XmlProblem(`the document is not valid UTF-8 (at byte offset ${invalidUtf8At(view)})`);
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new XmlProblem('the document is not valid UTF-16');
  }
  checkDeclared(text.slice(0, 400), 'UTF-16', ['utf-16', encoding]);
  return text;
}

function checkDeclared(head: string, actual: string, allowed: readonly string[]): void {
  const declared = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)/.exec(head)?.[1];
  if (declared === undefined || allowed.includes(declared.toLowerCase())) return;
  throw new XmlProblem(
    `the document declares the encoding ${quoteShort(declared, 40)}, but only UTF-8 and UTF-16 are read, and this is read as ${actual}`,
    'line 1',
  );
}
