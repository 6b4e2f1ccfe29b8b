import type { Problem } from '../../errors.ts';
import type { Icon } from '../../graph/kinds.ts';
import { quoted } from '../../http/parameters.ts';
import { isFontAwesomeIcon } from './font-awesome-icons.ts';
import type { GivenIcon } from './schema.ts';

const maxKindLength = 256;
const defaultColor = '#FFFFFF';

/** Everything that is wrong with the name of a kind. */
export function kindProblems(kind: string, context: string): Problem[] {
  const name = quoted(kind);
  const problems: string[] = [];
  if (kind === '') problems.push('the name of a kind must not be empty');
  if (kind.length > maxKindLength)
    problems.push(`the name of a kind may have at most ${maxKindLength} characters: ${name}`);
  if (kind !== kind.trim()) problems.push(`the name of a kind must not begin or end with a blank: ${name}`);
  // U+FFFD stands where a character could not be stored.
  if (/[\p{Cc}\ufffd]/u.test(kind))
    problems.push(`the name of a kind must not have control characters: ${name}`);
  if (/^tag_/i.test(kind))
    problems.push(`the kind ${name} is reserved: names that begin with tag_ are those of zones and labels`);
  if (kind === 'icons') problems.push('the kind "icons" is reserved: its address is that of the icon list');
  // Clients take these out of a path before they send it.
  if (kind === '.' || kind === '..')
    problems.push(`the kind ${name} is reserved: it can't be part of an address`);
  return problems.map((message) => ({ context, message }));
}

/** gap 7.2: everything that is wrong with an icon; `owner` says whose it is. */
export function iconProblems({ type, name, color }: GivenIcon, context: string, owner: string): Problem[] {
  const problems: Problem[] = [];
  const add = (member: string, message: string) =>
    problems.push({ context: `${context}.${member}`, message: `${message}${owner}` });
  if (type !== 'font-awesome') add('type', `icon type must be font-awesome, but is ${quoted(type)}`);
  if (/^fa-/i.test(name)) {
    const bare = name.slice(3).toLowerCase();
    const advice = isFontAwesomeIcon(bare) ? `write ${quoted(bare)}` : 'leave the prefix out';
    add('name', `icon name ${quoted(name)} has the prefix fa-: ${advice}`);
  } else if (!isFontAwesomeIcon(name)) {
    add(
      'name',
      `icon name ${quoted(name)} is not in the free solid set: GET /api/v2/custom-nodes/icons lists it`,
    );
  }
  if (color !== undefined && color !== '' && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color))
    add('color', `icon color must be #RGB or #RRGGBB, but is ${quoted(color)}`);
  return problems;
}

/** Only for an icon without problems. */
export function toIcon({ name, color }: GivenIcon): Icon {
  return { type: 'font-awesome', name, color: color || defaultColor };
}
