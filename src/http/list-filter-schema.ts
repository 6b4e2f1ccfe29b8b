import { type Column, type ColumnType, formOf, predicatesOf } from './list-filter.ts';

const day = '(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31';
const leapDay = '[12][0-9](0[48]|[2468][048]|[13579][26])-02-29';
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?';
const zone = 'Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]';

/** Texts that `readFilter` takes for certain; at the edges of a range it takes some more. */
const operands: Readonly<Record<Exclude<ColumnType, 'text'>, string>> = {
  integer: '-?[0-9]{1,18}',
  number: '-?[0-9]{1,100}(\\.[0-9]{1,100})?([eE][-+]?[0-9]{1,2})?',
  time: `([12][0-9]{3}-(${day})|${leapDay})T${clock}(${zone})`,
  uuid: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  boolean: 'true|false',
};

/** A text without a predicate has no word before its first colon. */
const textPattern = '^((eq|neq|~eq):[\\s\\S]*|~?[A-Za-z]*([^A-Za-z:][\\s\\S]*)?|~?:[\\s\\S]*)$';
const maxTextLength = 1000;

/** The grammar of one column's filters, for the API document; a title makes it a component for all columns alike. */
export function filterSchema(column: Column): Record<string, unknown> {
  const { type, words } = column;
  const description = `predicate:value with ${formOf(column)}. Predicates: ${predicatesOf[type].join(', ')}; without one it is eq. eq:null finds what is unset; neq finds it too, unless it is neq:null.`;
  if (words === undefined && type === 'text')
    return {
      title: 'TextFilter',
      type: 'string',
      pattern: textPattern,
      maxLength: maxTextLength,
      description,
    };
  const operand =
    words === undefined && type !== 'text' ? operands[type] : (words ?? []).map(escaped).join('|');
  const pattern = `^(((${predicatesOf[type].join('|')}):)?(${operand})|((eq|neq):)?null)$`;
  const title = `${type.charAt(0).toUpperCase()}${type.slice(1)}Filter`;
  return { ...(words === undefined ? { title } : {}), type: 'string', pattern, description };
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
