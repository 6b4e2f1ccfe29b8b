import { AppError, type Problem } from '../../errors.ts';
import { maxIdLength } from '../../graph/ingest/convert/limits.ts';
import { kindOfZone } from '../../graph/node-zones.ts';
import { objectKey } from '../../graph/store.ts';
import { quoted } from '../../http/parameters.ts';
import { hasHiddenCharacters } from '../../values/text.ts';
import { hygiene } from './schema.ts';
import type { TagRow } from './store.ts';
import { maxDescriptionLength, maxNameLength, maxSeeds, maxZones } from './tags.ts';

export function check(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
}

/** What is wrong with a name or description of a zone or selector; what is left out is fine. */
export function wordProblems({ name, description }: { name?: string; description?: string }): Problem[] {
  const problems: Problem[] = [];
  const add = (context: string, message: string) => problems.push({ context, message });
  if (name !== undefined) {
    if (name === '' || name.length > maxNameLength)
      add('name', `name must have 1 to ${maxNameLength} characters, but has ${name.length}`);
    if (name !== name.trim()) add('name', `name must not begin or end with a blank: ${quoted(name)}`);
    if (hasHiddenCharacters(name)) add('name', `name must not have control characters: ${quoted(name)}`);
  }
  if (description !== undefined && description.length > maxDescriptionLength) {
    const given = `but has ${description.length}`;
    add('description', `description may have at most ${maxDescriptionLength} characters, ${given}`);
  }
  return problems;
}

export function zoneNameProblems(name: string | undefined): Problem[] {
  if (name === undefined || name === '' || /[A-Za-z0-9]/.test(name)) return [];
  const message = `name must have a letter from A to Z or a digit, because it becomes a kind: ${quoted(name)}`;
  return [{ context: 'name', message }];
}

/** A label that became a zone would change what is Tier Zero and what is found: not what was asked for. */
export function typeProblems(type = 1): Problem[] {
  if (type === 1) return [];
  const message = `type must be 1, a zone, but is ${type}: labels can't be made`;
  return [{ context: 'type', message }];
}

/** gap 9.3: names whose kinds only differ in case would be taken for one another. */
export function refuseTakenName(name: string, others: readonly TagRow[]): void {
  const kindOf = (name: string) => kindOfZone(name).toLowerCase();
  const taken = [...others, hygiene].find((other) => kindOf(other.name) === kindOf(name));
  if (taken === undefined) return;
  const same = taken.name === name ? 'exists already' : `would have the kind of ${quoted(taken.name)}`;
  throw new AppError('conflict', `a zone ${quoted(name)} ${same}`, { context: 'name' });
}

export function refuseTooMany(zones: readonly TagRow[]): void {
  if (zones.length < maxZones) return;
  throw new AppError('conflict', `there are ${zones.length} zones already: at most ${maxZones} are allowed`);
}

export function checkPosition(position: number, last: number): void {
  if (position >= 2 && position <= last) return;
  const reason = 'position 1 is that of Tier Zero';
  check([{ context: 'position', message: `position must be 2 to ${last}, but is ${position}: ${reason}` }]);
}

export function seedProblems(seeds: readonly { type?: number; value: string }[] | undefined): Problem[] {
  if (seeds === undefined) return [];
  if (seeds.length === 0 || seeds.length > maxSeeds) {
    return [
      { context: 'seeds', message: `seeds takes 1 to ${maxSeeds} object ids, ${seeds.length} are given` },
    ];
  }
  return seeds.flatMap(({ type = 1, value }, index) => {
    const problems: Problem[] = [];
    const add = (member: string, message: string) =>
      problems.push({ context: `seeds.${index}.${member}`, message: `seeds.${index}.${member} ${message}` });
    if (type !== 1) add('type', `must be 1, an object id, but is ${type}: queries can't select`);
    if (value.trim() === '' || value.length > maxIdLength)
      add('value', `must be an object id of 1 to ${maxIdLength} characters`);
    return problems;
  });
}

/** Each once, in order. */
export function objectIdsOf(seeds: readonly { value: string }[]): string[] {
  return [...new Set(seeds.map(({ value }) => objectKey(value.trim())))].sort();
}
