import { AppError, type Problem } from '../errors.ts';
import { cleanText } from '../values/text.ts';
import { quoted } from './parameters.ts';

export interface FormField {
  readonly description: string;
  readonly required: boolean;
  /** A file keeps its bytes as they are; anything else is text. */
  readonly file?: boolean;
  readonly maxBytes: number;
  /** For the API document: what the feature checks by itself. */
  readonly keywords?: Readonly<Record<string, unknown>>;
}

export type FormFields = Readonly<Record<string, FormField>>;

/** The fields of a form. */
export interface Form {
  text(name: string): string | undefined;
  bytes(name: string): Uint8Array | undefined;
}

/** Reads a whole form; what is missing, unknown, repeated or too long is a problem that names the field. */
export async function readForm(
  fields: FormFields,
  raw: Buffer,
  contentType: string | undefined,
  problems: Problem[],
): Promise<Form> {
  const entries: [string, Uint8Array][] = [];
  for (const [name, value] of await parse(raw, contentType)) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : new Uint8Array(await value.arrayBuffer());
    entries.push([name, bytes]);
  }
  return checkedForm(fields, entries, problems);
}

/**
 * The same of a form that is sent as `application/x-www-form-urlencoded`, except that RFC 6749 wants unknown fields
 * ignored; no body at all is an empty form.
 */
export function readUrlencodedForm(
  fields: FormFields,
  raw: Buffer,
  contentType: string | undefined,
  problems: Problem[],
): Form {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (raw.length > 0 && mediaType !== 'application/x-www-form-urlencoded') {
    throw new AppError(
      'unsupported_media_type',
      'the Content-Type of the body must be application/x-www-form-urlencoded',
      { context: 'Content-Type' },
    );
  }
  const pairs = raw
    .toString()
    .split('&')
    .filter((pair) => pair !== '');
  const known = pairs.map(decodePair).filter(([name]) => Object.hasOwn(fields, name));
  return checkedForm(fields, known, problems);
}

function decodePair(pair: string): [string, Uint8Array] {
  const equals = pair.indexOf('=');
  const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  try {
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return [decode(name), Buffer.from(decode(value))];
  } catch (error) {
    throw new AppError('bad_request', 'the body is not a valid application/x-www-form-urlencoded form', {
      context: 'body',
      cause: error,
    });
  }
}

function checkedForm(
  fields: FormFields,
  entries: readonly (readonly [string, Uint8Array])[],
  problems: Problem[],
): Form {
  const values = new Map<string, Uint8Array>();
  for (const [name, bytes] of entries) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const reject = (message: string) => problems.push({ context: cleanText(name).slice(0, 100), message });
    if (field === undefined) reject(`form has an unknown field ${quoted(name)}`);
    else if (values.has(name)) reject(`form has ${quoted(name)} more than once`);
    else {
      values.set(name, bytes);
      if (bytes.length > field.maxBytes)
        reject(`${name} may have at most ${field.maxBytes} bytes, and has ${bytes.length}`);
    }
  }
  for (const [name, { required }] of Object.entries(fields)) {
    if (required && !values.has(name))
      problems.push({ context: name, message: `form is missing "${name}" parameter` });
  }
  return {
    text: (name) => {
      const bytes = values.get(name);
      return bytes === undefined ? undefined : cleanText(new TextDecoder().decode(bytes));
    },
    bytes: (name) => values.get(name),
  };
}

async function parse(raw: Buffer, contentType: string | undefined): Promise<FormData> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) {
    throw new AppError(
      'unsupported_media_type',
      'the Content-Type of the body must be multipart/form-data with a boundary',
      { context: 'Content-Type' },
    );
  }
  try {
    return await new Response(raw, { headers: { 'content-type': contentType ?? '' } }).formData();
  } catch (error) {
    throw new AppError('bad_request', 'the body is not a valid multipart/form-data form', {
      context: 'body',
      cause: error,
    });
  }
}
