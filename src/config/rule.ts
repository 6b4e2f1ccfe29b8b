import { resolve } from 'node:path';

/** `wrong` completes the sentence "KENNEL_X …" and is shown to operators and logs. */
export type Parsed<Value> = { readonly value: Value } | { readonly wrong: string };

export interface Rule<Value> {
  /** Completes the sentence "expected …". */
  readonly expects: string;
  readonly parse: (text: string) => Parsed<Value>;
}

const longestQuote = 80;

/** Only for rules of settings that are never secret: the value is repeated to the operator. */
export function quoteAsWrong(text: string): { wrong: string } {
  const shown = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return { wrong: `is ${JSON.stringify(shown)}` };
}

export function wholeNumber(lowest: number, highest: number): Rule<number> {
  return {
    expects: `a whole number from ${lowest} to ${highest} in plain digits`,
    parse: (text) => {
      const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      return value >= lowest && value <= highest ? { value } : quoteAsWrong(text);
    },
  };
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Rule<Choice> {
  return {
    expects: `one of ${choices.join(', ')}`,
    parse: (text) => {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? quoteAsWrong(text) : { value };
    },
  };
}

export const onOrOff: Rule<boolean> = {
  expects: 'on or off',
  parse: (text) => (text === 'on' || text === 'off' ? { value: text === 'on' } : quoteAsWrong(text)),
};

export const filePath: Rule<string> = {
  expects: 'the path of a file',
  parse: (text) => (text.trim() === '' ? quoteAsWrong(text) : { value: text }),
};

export const directoryPath: Rule<string> = {
  expects: 'the path of a directory',
  parse: (text) => (text.trim() === '' ? quoteAsWrong(text) : { value: resolve(text) }),
};

export const anyText: Rule<string> = {
  expects: 'any text',
  parse: (text) => ({ value: text }),
};

const keyBytes = 32;

export const encryptionKey: Rule<Buffer> = {
  expects: `base64 of exactly ${keyBytes} bytes, such as "openssl rand -base64 ${keyBytes}" prints`,
  parse: (text) => {
    const value = Buffer.from(text, 'base64');
    // Buffer.from skips whatever is not base64, so only a round trip proves that nothing was skipped.
    if (value.toString('base64') !== text) return { wrong: 'is not strict base64' };
    return value.length === keyBytes ? { value } : { wrong: `is base64 of ${value.length} bytes` };
  },
};
