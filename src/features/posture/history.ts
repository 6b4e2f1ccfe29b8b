import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { wholePercent } from '../../values/percent.ts';
import { hygieneTag, tagExists, tierZeroTag } from '../zones/index.ts';
import { type DataType, readPosture } from './store.ts';

export const percentTypes: ReadonlySet<DataType> = new Set([
  'exposure',
  'session-completeness',
  'group-completeness',
]);

export interface HistoryQuery {
  readonly dataType: DataType;
  readonly environments: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly tagId: number | undefined;
}

/** The points of a series: percents from exact sums, counts as they are (gaps 6.1 and 6.4). */
export async function readHistory(
  graph: Reader,
  query: HistoryQuery,
): Promise<{ at: number; value: number }[]> {
  await checkTag(graph, query.tagId);
  const tags = tagsOf(query.dataType, query.tagId);
  if (tags.length === 0) return [];
  const points = await readPosture(graph, { ...query, tags });
  if (!percentTypes.has(query.dataType)) return points.map(({ at, numerator }) => ({ at, value: numerator }));
  return points
    .filter(({ denominator }) => denominator > 0)
    .map(({ at, numerator, denominator }) => ({ at, value: wholePercent(numerator, denominator) }));
}

export async function checkTag(graph: Reader, tagId: number | undefined): Promise<void> {
  if (tagId === undefined || (await tagExists(graph, tagId))) return;
  throw new AppError('not_found', `asset group tag ${tagId} does not exist`, {
    context: 'asset_group_tag_id',
  });
}

/** Which stored tags a series is made of. Completeness belongs to no zone and is stored under tag 0. */
export function tagsOf(dataType: DataType, tagId: number | undefined): number[] {
  switch (dataType) {
    case 'session-completeness':
    case 'group-completeness':
      return [hygieneTag];
    case 'exposure':
    case 'assets':
      return tagId === hygieneTag ? [] : [tagId ?? tierZeroTag];
    default:
      return tagId === undefined ? [hygieneTag, tierZeroTag] : [tagId];
  }
}
