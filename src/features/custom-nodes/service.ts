import type { Static } from 'typebox';
import type { Origin } from '../../caller.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError, type Problem } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { iconProblems, kindProblems, toIcon } from './rules.ts';
import { type GivenIcon, type NewCustomNodes, toView } from './schema.ts';
import {
  type CustomNodeRow,
  deleteCustomNode,
  findCustomNode,
  insertCustomNodes,
  listCustomNodesOf,
  updateCustomNode,
} from './store.ts';

const maxKinds = 500;
type Tools = Pick<Deps, 'clock' | 'changes'>;
type GivenKinds = Static<typeof NewCustomNodes>['custom_types'];

/** All of them or none. */
export async function createCustomNodes(
  deps: Tools,
  db: Db,
  origin: Origin,
  given: GivenKinds,
): Promise<CustomNodeRow[]> {
  const entries = [given].flat().flatMap((kinds) => Object.entries(kinds));
  check(entryProblems(given, entries));
  const kinds = new Map(entries.map(([kind, { icon }]) => [kind, toIcon(icon)]));
  const names = [...kinds.keys()];
  return db.transaction(async (db) => {
    await lockKinds(db);
    const taken = await listCustomNodesOf(db, names);
    if (taken.length > 0) throw alreadyThere(taken);
    const now = deps.clock();
    await insertCustomNodes(db, kinds, now);
    const rows = await listCustomNodesOf(db, names);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'CreateCustomNodeKind',
      fields: { kinds: rows.map(toRecord) },
    });
    return rows;
  });
}

export async function changeCustomNode(
  deps: Tools,
  db: Db,
  origin: Origin,
  kind: string,
  given: GivenIcon,
): Promise<CustomNodeRow> {
  check(iconProblems(given, 'config.icon', ''));
  const icon = toIcon(given);
  return db.transaction(async (db) => {
    const before = await getOwnKind(db, kind);
    const changes = changesBetween(toView(before).config.icon, { ...icon });
    if (Object.keys(changes).length === 0) return before;
    const now = deps.clock();
    await updateCustomNode(db, before.id, icon, now);
    const after = await getCustomNode(db, kind);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateCustomNodeKind',
      fields: {
        id: before.id,
        kind,
        ...changes,
      },
    });
    return after;
  });
}

/** Tells what was deleted. */
export async function removeCustomNode(
  deps: Tools,
  db: Db,
  origin: Origin,
  kind: string,
): Promise<CustomNodeRow> {
  return db.transaction(async (db) => {
    const row = await getOwnKind(db, kind);
    await deleteCustomNode(db, row.id);
    await deps.changes.announce(db);
    await recordAudit(db, origin, deps.clock(), { action: 'DeleteCustomNodeKind', fields: toRecord(row) });
    return row;
  });
}

export async function getCustomNode(db: Reader, kind: string): Promise<CustomNodeRow> {
  const row = await findCustomNode(db, kind);
  if (row !== undefined) return row;
  throw new AppError('not_found', `there is no custom node kind ${quoted(kind)}`, { context: 'kind_name' });
}

/** gap 7.1: the built-in kinds stay as they are. */
async function getOwnKind(db: Transaction, kind: string): Promise<CustomNodeRow> {
  await lockKinds(db);
  const row = await getCustomNode(db, kind);
  if (row.built_in === 0) return row;
  throw new AppError('conflict', `the kind ${quoted(kind)} is built in: it can't be changed or deleted`, {
    context: 'kind_name',
  });
}

function lockKinds(db: Transaction): Promise<void> {
  return db.lock('custom node kinds');
}

function entryProblems(
  given: GivenKinds,
  entries: readonly (readonly [string, { icon: GivenIcon }])[],
): Problem[] {
  const context = 'custom_types';
  if (entries.length === 0) return [{ context, message: 'custom_types must have at least one entry' }];
  if (entries.length > maxKinds) {
    const message = `custom_types may have at most ${maxKinds} entries, ${entries.length} are given`;
    return [{ context, message }];
  }
  const empty = [given].flat().findIndex((kinds) => Object.keys(kinds).length === 0);
  const names = entries.map(([kind]) => kind);
  const repeated = new Set(names.filter((kind, index) => names.indexOf(kind) !== index));
  return [
    ...(empty < 0 ? [] : [{ context: `${context}.${empty}`, message: `custom_types.${empty} has no kind` }]),
    ...[...repeated].map((kind) => ({
      context,
      message: `the kind ${quoted(kind)} is given more than once`,
    })),
    ...entries.flatMap(([kind, { icon }]) => {
      const member = `${context}.${kind.slice(0, 100)}`;
      return [
        ...kindProblems(kind, member),
        ...iconProblems(icon, `${member}.icon`, ` (kind ${quoted(kind)})`),
      ];
    }),
  ];
}

function check(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
}

function alreadyThere(taken: readonly CustomNodeRow[]): AppError {
  const shown = taken.slice(0, 20).map(({ kind_name }) => quoted(kind_name));
  const more = taken.length > shown.length ? ` and ${taken.length - shown.length} more` : '';
  const message = `${taken.length === 1 ? 'this kind exists' : 'these kinds exist'} already: ${shown.join(', ')}${more}`;
  return new AppError('conflict', message, { context: 'custom_types' });
}

function toRecord(row: CustomNodeRow) {
  return { id: row.id, kind: row.kind_name, config: toView(row).config };
}
