import { quoteShort } from '../../values/text.ts';

const longestName = 100;
/** Letters, digits, marks, punctuation and symbols of any script, and plain spaces. */
const speakable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
/** Proxies take an address apart at these, even where they are encoded. */
const reserved = /[/\\?#%]/;

/** A name as it is stored: the same letters are always the same code points. */
export function tidyName(given: string): string {
  return given.trim().normalize('NFC');
}

/** What is wrong with a tidy name: it becomes part of addresses. */
export function nameProblem(name: string): string | undefined {
  const length = [...name].length;
  if (length < 1 || length > longestName)
    return `name must have 1 to ${longestName} characters, and has ${length}`;
  const shown = quoteShort(name, 60);
  if (!speakable.test(name))
    return `name may hold letters, digits, punctuation and plain spaces only, but is ${shown}`;
  if (reserved.test(name)) return `name must not hold / \\ ? # or %, but is ${shown}`;
  if (/^\.+$/.test(name)) return `name must not consist of dots, but is ${shown}`;
  return undefined;
}

/** gap 2.1: what stands for the name in addresses. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
