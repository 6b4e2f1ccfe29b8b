import Type, { type Static } from 'typebox';
import { DateTime, dateTime, Struct } from '../../http/schemas.ts';
import { formatRfc3339 } from '../../values/time.ts';
import type { Diff, Wish } from './diff.ts';
import type { ChangedFinding, ChangedObject, FindingCount } from './diff-store.ts';
import { dataTypes } from './store.ts';

const severities = ['low', 'moderate', 'high', 'critical'] as const;
const severityOf = (number: number) => severities[number] ?? 'low';

const Severity = Type.Enum([...severities]);
const Count = Type.Integer({ minimum: 0 });
const Value = Type.Union([Type.Integer(), Type.Null()]);
const Moment = Struct({
  time: DateTime,
  analysis_at: Type.String({ format: 'date-time', description: 'When the run in force then was published' }),
});
const Name = Type.String({ description: 'The id where it has no name, or is in the graph no more' });
const findingMembers = {
  id: Type.Integer({ format: 'int64' }),
  type: Type.String(),
  severity: Severity,
  asset_group_tag_id: Type.Integer(),
  environment_id: Type.String(),
  source_id: Type.String(),
  source_name: Name,
  target_id: Type.String(),
  target_name: Name,
  exposure_count: Count,
  impact_count: Count,
  first_seen: DateTime,
};
const ZoneObject = Struct({
  object_id: Type.String(),
  name: Name,
  environment_id: Type.String(),
  asset_group_tag_id: Type.Integer(),
});
const told = { truncated: Type.Boolean({ description: 'There are more than are told' }) };

export const PostureDiff = Struct({
  from: Moment,
  to: Moment,
  environments: Type.Array(Type.String()),
  measures: Type.Array(
    Struct({ data_type: Type.Enum([...dataTypes]), before: Value, after: Value, difference: Value }),
  ),
  findings: Struct({
    before: Count,
    after: Count,
    unchanged: Count,
    came_and_went: Type.Integer({ minimum: 0, description: 'Seen in between only' }),
    by_type: Type.Array(
      Struct({
        type: Type.String(),
        severity: Severity,
        new: Count,
        gone: Count,
        unchanged: Count,
        came_and_went: Count,
      }),
    ),
    new: Struct({ count: Count, ...told, items: Type.Array(Struct(findingMembers)) }),
    gone: Struct({
      count: Count,
      ...told,
      items: Type.Array(Struct({ ...findingMembers, gone_at: DateTime })),
    }),
  }),
  zone: Struct({
    before: Count,
    after: Count,
    entered: Struct({ count: Count, ...told, items: Type.Array(ZoneObject) }),
    left: Struct({ count: Count, ...told, items: Type.Array(ZoneObject) }),
  }),
});
export type PostureDiff = Static<typeof PostureDiff>;

export function toDiffView(wish: Wish, diff: Diff): PostureDiff {
  const { findings, objects } = diff;
  const listOf = <Row, View>(count: number, rows: readonly Row[], view: (row: Row) => View) => ({
    count,
    truncated: rows.length < count,
    items: rows.map(view),
  });
  return {
    from: { time: formatRfc3339(wish.from), analysis_at: formatRfc3339(diff.from.publishedAt) },
    to: { time: formatRfc3339(wish.to), analysis_at: formatRfc3339(diff.to.publishedAt) },
    environments: [...wish.environments],
    measures: diff.measures.map(({ dataType, before, after }) => ({
      data_type: dataType,
      before,
      after,
      difference: before === null || after === null ? null : after - before,
    })),
    findings: {
      before: findings.gone + findings.unchanged,
      after: findings.new + findings.unchanged,
      unchanged: findings.unchanged,
      came_and_went: findings.passing,
      by_type: byType(diff.byType),
      new: listOf(findings.new, diff.newFindings, findingView),
      gone: listOf(findings.gone, diff.goneFindings, (row) => ({
        ...findingView(row),
        gone_at: dateTime(row.until_at),
      })),
    },
    zone: {
      before: objects.gone + objects.unchanged,
      after: objects.new + objects.unchanged,
      entered: listOf(objects.new, diff.entered, objectView),
      left: listOf(objects.gone, diff.left, objectView),
    },
  };
}

function byType(rows: readonly FindingCount[]): PostureDiff['findings']['by_type'] {
  const known = new Map<string, PostureDiff['findings']['by_type'][number]>();
  for (const { type, severity, change, count } of rows) {
    const key = `${type} ${severity}`;
    const entry = known.get(key) ?? {
      type,
      severity: severityOf(severity),
      new: 0,
      gone: 0,
      unchanged: 0,
      came_and_went: 0,
    };
    entry[change === 'passing' ? 'came_and_went' : change] += count;
    known.set(key, entry);
  }
  return [...known.values()];
}

function findingView(row: ChangedFinding) {
  return {
    id: row.id,
    type: row.type,
    severity: severityOf(row.severity),
    asset_group_tag_id: row.tag_id,
    environment_id: row.environment_id,
    source_id: row.source_id,
    source_name: row.source_name ?? row.source_id,
    target_id: row.target_id,
    target_name: row.target_name ?? row.target_id,
    exposure_count: row.exposure_count,
    impact_count: row.impact_count,
    first_seen: dateTime(row.since_at),
  };
}

function objectView(row: ChangedObject): Static<typeof ZoneObject> {
  return {
    object_id: row.object_id,
    name: row.name ?? row.object_id,
    environment_id: row.environment_id,
    asset_group_tag_id: row.tag_id,
  };
}
