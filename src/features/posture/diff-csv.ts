import { csvLine } from '../../http/csv.ts';
import type { PostureDiff } from './diff-schema.ts';

/** One table for all of it; how many there are of each comes before those that are told. */
export function toDiffCsv({ measures, findings, zone }: PostureDiff): string {
  const header = [
    'section',
    'item',
    'before',
    'after',
    'difference',
    'severity',
    'asset_group_tag_id',
    'environment_id',
    'source_id',
    'source_name',
    'target_id',
    'target_name',
    'exposure_count',
    'impact_count',
  ];
  const rest = (filled: number) => Array<null>(header.length - filled).fill(null);
  const empty = [null, null, null] as const;
  const counts = {
    'new findings': findings.new.count,
    'gone findings': findings.gone.count,
    'unchanged findings': findings.unchanged,
    'findings that came and went': findings.came_and_went,
    'objects that entered': zone.entered.count,
    'objects that left': zone.left.count,
  };
  const findingLines = (section: string, items: PostureDiff['findings']['new']['items']) =>
    items.map((item) => [
      ...[section, item.type, ...empty, item.severity, item.asset_group_tag_id, item.environment_id],
      ...[item.source_id, item.source_name, item.target_id, item.target_name],
      ...[item.exposure_count, item.impact_count],
    ]);
  const objectLines = (section: string, items: PostureDiff['zone']['left']['items']) =>
    items.map(({ object_id, name, environment_id, asset_group_tag_id: tag }) => [
      ...[section, null, ...empty, null, tag, environment_id, null, null, object_id, name],
      ...rest(12),
    ]);
  return [
    header,
    ...measures.map((measure) => [
      ...['measure', measure.data_type, measure.before, measure.after, measure.difference],
      ...rest(5),
    ]),
    ...Object.entries(counts).map(([item, count]) => [...['count', item, null, null, count], ...rest(5)]),
    ...findingLines('new finding', findings.new.items),
    ...findingLines('gone finding', findings.gone.items),
    ...objectLines('object entered', zone.entered.items),
    ...objectLines('object left', zone.left.items),
  ]
    .map((cells) => csvLine(cells))
    .join('');
}
