import type { Static } from 'typebox';
import type { Origin } from '../../caller.ts';
import { changeBoth } from '../../db/both.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import { AppError, type Problem } from '../../errors.ts';
import { quoteShort } from '../../values/text.ts';
import { parseRfc3339 } from '../../values/time.ts';
import { recordAudit } from '../audit/index.ts';
import { longestReason, type NewAcceptance, toAcceptanceView } from './schema.ts';
import {
  type Acceptance,
  deleteAcceptance,
  type FindingRow,
  findAcceptance,
  findFindings,
  lockAcceptances,
  putAcceptance,
} from './store.ts';

export interface Stores {
  readonly db: Db;
  readonly graph: Db;
}

const context = 'finding_id';

export async function getFinding(graph: Reader, id: bigint, now: number): Promise<FindingRow> {
  const [row] = await findFindings(graph, [id], now);
  if (row !== undefined) return row;
  throw new AppError('not_found', `finding ${id} does not exist`, { context });
}

export function acceptRisk(
  stores: Stores,
  origin: Origin,
  now: number,
  id: bigint,
  wish: Static<typeof NewAcceptance>,
): Promise<FindingRow> {
  const until = readWish(wish, now);
  return changeAcceptance(stores, async (graph, db) => {
    const finding = await getPresent(graph, id, now);
    const before = await findAcceptance(graph, finding);
    const after: Acceptance = {
      accepted_at: now,
      accepted_by: origin.actor.name,
      accepted_until: until,
      reason: wish.reason.trim(),
    };
    await putAcceptance(graph, finding, after);
    await recordAudit(db, origin, now, {
      action: 'AcceptRisk',
      fields: { ...recorded(finding), before: shown(before), after: shown(after) },
    });
    return { ...finding, state: 'accepted' };
  });
}

export async function takeBackAcceptance(
  stores: Stores,
  origin: Origin,
  now: number,
  id: bigint,
): Promise<void> {
  await changeAcceptance(stores, async (graph, db) => {
    const finding = await getPresent(graph, id, now);
    if (finding.state !== 'accepted')
      throw new AppError('not_found', `the risk of finding ${id} is not accepted`, { context });
    const before = await findAcceptance(graph, finding);
    await deleteAcceptance(graph, finding);
    await recordAudit(db, origin, now, {
      action: 'RevokeRiskAcceptance',
      fields: { ...recorded(finding), before: shown(before), after: null },
    });
  });
}

/** gap 10.4 */
function changeAcceptance<T>(
  stores: Stores,
  change: (graph: Transaction, db: Transaction) => Promise<T>,
): Promise<T> {
  return changeBoth(stores, async (graph, db) => {
    await lockAcceptances(graph);
    return change(graph, db);
  });
}

async function getPresent(graph: Reader, id: bigint, now: number): Promise<FindingRow> {
  const finding = await getFinding(graph, id, now);
  if (finding.state !== 'remediated') return finding;
  throw new AppError('conflict', `finding ${id} is gone: there is nothing to accept`, { context });
}

/** The moment until which it is accepted. */
function readWish({ until, reason }: Static<typeof NewAcceptance>, now: number): number | null {
  const problems: Problem[] = [];
  const at = until === null ? null : parseRfc3339(until);
  if (at === undefined) {
    const message = `until must be null or an RFC 3339 date-time such as 2027-01-31T00:00:00Z, but is ${quoteShort(until ?? '', 60)}`;
    problems.push({ context: 'until', message });
  } else if (at !== null && at <= now) {
    problems.push({ context: 'until', message: `until must be in the future, but is ${until}` });
  }
  const { length } = reason.trim();
  if (length === 0) problems.push({ context: 'reason', message: 'reason must say something' });
  if (length > longestReason) {
    const message = `reason must have at most ${longestReason} characters, but has ${length}`;
    problems.push({ context: 'reason', message });
  }
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  return at ?? null;
}

function recorded(finding: FindingRow) {
  const { id, type, environment_id, tag_id: asset_group_tag_id, source_id, target_id } = finding;
  return { finding_id: id, type, environment_id, asset_group_tag_id, source_id, target_id };
}

function shown(acceptance: Acceptance | undefined) {
  return acceptance === undefined ? null : toAcceptanceView(acceptance);
}
