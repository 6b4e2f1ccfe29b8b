import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Problem } from '../errors.ts';

// TypeBox stops at eight, and an unknown member counts twice: enough for the problems that are listed (gap 1.2).
Settings.Set({ maxErrors: 50 });

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Checks a JSON value against a schema; every problem names the member by its dotted path. */
export function bodyValidator(schema: TSchema): (value: unknown, root?: string) => Problem[] {
  const validator = Compile(schema);
  return (value, root = '') => {
    if (validator.Check(value)) return [];
    const errors = mergeAlternatives(validator.Errors(value) as SchemaError[]);
    const problems = errors.flatMap((error) => problemsOf(error, root));
    return problems.length > 0
      ? problems
      : [{ context: root, message: `${root || 'the body'} is not valid` }];
  };
}

/**
 * TypeBox tells what is wrong with every alternative, then that none fits. If the value has the type of one of
 * them, only that one's problems are of use; otherwise one sentence names all the types.
 */
function mergeAlternatives(errors: readonly SchemaError[]): SchemaError[] {
  const merged: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      merged.push(error);
      continue;
    }
    const isInside = ({ instancePath }: SchemaError) =>
      instancePath === error.instancePath || instancePath.startsWith(`${error.instancePath}/`);
    const first = merged.findIndex(isInside);
    const alternatives = first < 0 ? [] : merged.splice(first);
    const isTypeError = (one: SchemaError) =>
      one.keyword === 'type' && one.instancePath === error.instancePath;
    const closer = alternatives.filter((one) => !isTypeError(one));
    const types = alternatives
      .filter(isTypeError)
      .map((one) => String((one.params as { type?: unknown }).type));
    merged.push(...(closer.length > 0 ? closer : [{ ...error, keyword: 'type', params: { type: types } }]));
  }
  return merged;
}

function problemsOf(error: SchemaError, root: string): Problem[] {
  const path = [root, ...error.instancePath.split('/').slice(1).map(unescapePointer)]
    .filter((part) => part !== '')
    .join('.');
  const member = (name: string) => (path === '' ? name : `${path}.${name}`);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return names(params.requiredProperties).map((name) => ({
        context: member(name),
        message: `${member(name)} is required`,
      }));
    // TypeBox reports each unknown member as "schema is false", and then all of them once more.
    case 'boolean':
      return [{ context: path, message: `${path} is not a known member` }];
    case 'additionalProperties':
      return [];
    case 'type':
      return [
        {
          context: path,
          message: `${path || 'the body'} must be ${[params.type].flat().map(article).join(' or ')}`,
        },
      ];
    case 'enum':
      return [{ context: path, message: `${path} must be one of ${names(params.allowedValues).join(', ')}` }];
    case 'minimum':
    case 'maximum':
      return [
        { context: path, message: `${path} must be ${String(params.comparison)} ${String(params.limit)}` },
      ];
    default:
      return [{ context: path, message: `${path || 'the body'} ${error.message}` }];
  }
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function article(type: unknown): string {
  const words: Record<string, string> = {
    integer: 'a whole number',
    number: 'a number',
    object: 'an object',
    array: 'an array',
    null: 'null',
  };
  return words[String(type)] ?? `a ${String(type)}`;
}
