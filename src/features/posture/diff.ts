import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { formatRfc3339 } from '../../values/time.ts';
import {
  type Change,
  type ChangedFinding,
  type ChangedObject,
  countFindings,
  countObjects,
  type DiffQuery,
  type FindingCount,
  findFirstRun,
  findRunInForce,
  listFindings,
  listObjects,
  type Run,
} from './diff-store.ts';
import { checkTag, readHistory, tagsOf } from './history.ts';
import { type DataType, dataTypes } from './store.ts';

export interface Wish {
  readonly from: number;
  readonly to: number;
  readonly environments: readonly string[];
  readonly tagId: number | undefined;
  /** How many of each list are told at most. */
  readonly limit: number;
}

export interface Measure {
  readonly dataType: DataType;
  /** Null where there is no point. */
  readonly before: number | null;
  readonly after: number | null;
}

type Counts = Readonly<Record<Change, number>>;

export interface Diff {
  readonly from: Run;
  readonly to: Run;
  readonly measures: readonly Measure[];
  readonly findings: Counts;
  readonly byType: readonly FindingCount[];
  readonly newFindings: readonly ChangedFinding[];
  readonly goneFindings: readonly ChangedFinding[];
  readonly objects: Counts;
  readonly entered: readonly ChangedObject[];
  readonly left: readonly ChangedObject[];
}

/** What is different between the runs that were in force at two times. Give it a snapshot. */
export async function readDiff(graph: Reader, wish: Wish): Promise<Diff> {
  await checkTag(graph, wish.tagId);
  const from = await getRunInForce(graph, wish.from);
  const to = (await findRunInForce(graph, wish.to)) ?? from;
  const { environments, limit } = wish;
  const found: DiffQuery = { from, to, environments, tags: tagsOf('findings', wish.tagId) };
  const byType = await countFindings(graph, found);
  const zones = tagsOf('assets', wish.tagId);
  const members: DiffQuery | undefined = zones.length === 0 ? undefined : { ...found, tags: zones };
  return {
    from,
    to,
    measures: await readMeasures(graph, wish, from, to),
    findings: total(byType),
    byType,
    newFindings: await listFindings(graph, found, 'new', limit),
    goneFindings: await listFindings(graph, found, 'gone', limit),
    objects: total(members === undefined ? [] : await countObjects(graph, members)),
    entered: members === undefined ? [] : await listObjects(graph, members, 'new', limit),
    left: members === undefined ? [] : await listObjects(graph, members, 'gone', limit),
  };
}

async function getRunInForce(graph: Reader, at: number): Promise<Run> {
  const run = await findRunInForce(graph, at);
  if (run !== undefined) return run;
  const first = await findFirstRun(graph);
  const known =
    first === undefined
      ? 'none was ever'
      : `the first that is known was at ${formatRfc3339(first.publishedAt)}`;
  throw new AppError('not_found', `no analysis was published by ${formatRfc3339(at)}: ${known}`, {
    context: 'from',
  });
}

/** By the same way as a history, so that both say the same. */
async function readMeasures(graph: Reader, wish: Wish, from: Run, to: Run): Promise<Measure[]> {
  const valueAt = async (dataType: DataType, { publishedAt }: Run) => {
    const moment = { start: publishedAt, end: publishedAt + 1 };
    const [point] = await readHistory(graph, { ...wish, ...moment, dataType });
    return point?.value ?? null;
  };
  const measures: Measure[] = [];
  for (const dataType of dataTypes)
    measures.push({
      dataType,
      before: await valueAt(dataType, from),
      after: await valueAt(dataType, to),
    });
  return measures;
}

function total(rows: readonly { readonly change: Change; readonly count: number }[]): Counts {
  const counts = { new: 0, gone: 0, unchanged: 0, passing: 0 };
  for (const { change, count } of rows) counts[change] += count;
  return counts;
}
