import Type, { type Static, type TSchema } from 'typebox';
import { checkedTypes } from '../../graph/analysis/measure/lists.ts';
import { type Icon, labelOf } from '../../graph/kinds.ts';
import type { Cell } from '../../http/csv.ts';
import { DateTime, dateTime, published, Struct } from '../../http/schemas.ts';
import { compareCodePoints } from '../../values/text.ts';
import type { CheckedNodes } from '../posture/index.ts';
import type { Path } from './path.ts';
import { type Acceptance as Accepted, type FindingRow, type ShownNode, severities, states } from './store.ts';
import type { DescribedType } from './types.ts';

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
const Percent = Type.Integer({ minimum: 0, maximum: 100 });

const Coverage = Struct({
  environment_id: Type.String(),
  known: Type.Integer({ minimum: 0, description: 'Objects of which the answer was collected' }),
  total: Type.Integer({ minimum: 0, description: 'Objects that such a finding could be about' }),
});

export const AttackPathType = Struct({
  id: Type.String(),
  title: Type.String(),
  category: Type.Enum(['zone', 'large-default-group', 'list'], {
    description: 'An edge into a zone, a right of a group that nearly everybody is in, or a single principal',
  }),
  description: Type.String(),
  remediation: Type.String(),
  edge_kind: Nullable(Type.String()),
  severity_by: Type.Enum(['exposure', 'impact'], {
    description: 'The percent that decides how severe a finding is',
  }),
  coverage: Nullable(
    Type.Array(Coverage, {
      description:
        'Of how many objects the last analysis could tell whether there is such a finding: without any, none may only mean that nobody collected it. Null for types that do not say.',
    }),
  ),
});

/** With what the last run could tell; types that are always told have no coverage. */
export function toTypeView(
  type: DescribedType,
  checked: readonly CheckedNodes[],
): Static<typeof AttackPathType> {
  const { id, title, category, description, remediation, kind, severityBy } = type;
  const words = { id, title, category, description, remediation };
  const coverage = checkedTypes.some((name) => name === id)
    ? checked
        .filter((nodes) => nodes.type === id)
        .map(({ environmentId, known, all }) => ({ environment_id: environmentId, known, total: all }))
    : null;
  return { ...words, edge_kind: kind ?? null, severity_by: severityBy, coverage };
}

const Acceptance = Struct({
  until: Nullable(DateTime),
  reason: Type.String(),
  accepted_at: DateTime,
  accepted_by: Type.String(),
});

const members = {
  id: Type.Integer({ format: 'int64' }),
  environment_id: Type.String({ description: 'The environment of the target' }),
  asset_group_tag_id: Type.Integer({ description: 'The zone; 0 is Hygiene, 1 is Tier Zero' }),
  type: Type.String(),
  severity: Type.Enum([...severities]),
  state: Type.Enum([...states]),
  source_id: Type.String(),
  source_name: Type.String({ description: 'The id where nothing in the graph has it any more' }),
  source_kind: Type.String(),
  target_id: Type.String(),
  target_name: Type.String(),
  target_kind: Type.String(),
  exposure_count: Count,
  exposure_percent: Percent,
  impact_count: Count,
  impact_percent: Percent,
  first_seen: DateTime,
  last_seen: DateTime,
  gone_at: Nullable(DateTime),
  acceptance: Nullable(Acceptance),
};
export const Finding = Struct(members, { title: 'Finding' });

const PathNode = Struct({
  objectId: Type.String(),
  name: Type.String(),
  kinds: Type.Array(Type.String()),
  label: Type.String({ description: 'The kind that it is shown as' }),
});
export const FindingWithPath = Struct({
  ...members,
  path: Nullable(
    Struct({
      nodes: Type.Array(PathNode),
      edges: Type.Array(Struct({ source: Type.String(), target: Type.String(), kind: Type.String() })),
    }),
  ),
});

export const longestReason = 1000;

export const NewAcceptance = Struct({
  until: Nullable(
    Type.String({
      description: 'In the future; null accepts it until that is taken back',
      ...published({ format: 'date-time' }),
    }),
  ),
  reason: Type.String({
    description: 'Blanks around it do not count',
    ...published({ pattern: '\\S', maxLength: longestReason }),
  }),
});

export type Icons = ReadonlyMap<string, Icon>;

export function toFindingView(
  row: FindingRow,
  acceptance: Accepted | undefined,
  nodes: ReadonlyMap<string, ShownNode>,
  icons: Icons,
): Static<typeof Finding> {
  const [source, target] = [row.source_id, row.target_id].map((id) => nodes.get(id) ?? unknown(id)) as [
    ShownNode,
    ShownNode,
  ];
  return {
    id: row.id,
    environment_id: row.environment_id,
    asset_group_tag_id: row.tag_id,
    type: row.type,
    severity: severities[row.severity] ?? 'low',
    state: row.state,
    source_id: row.source_id,
    source_name: source.name,
    source_kind: labelIn(source, icons),
    target_id: row.target_id,
    target_name: target.name,
    target_kind: labelIn(target, icons),
    exposure_count: row.exposure_count,
    exposure_percent: row.exposure_percent,
    impact_count: row.impact_count,
    impact_percent: row.impact_percent,
    first_seen: dateTime(row.first_seen),
    last_seen: dateTime(row.last_seen),
    gone_at: row.gone_at === null ? null : dateTime(row.gone_at),
    acceptance: acceptance === undefined ? null : toAcceptanceView(acceptance),
  };
}

export function toAcceptanceView(row: Accepted): Static<typeof Acceptance> {
  return {
    until: row.accepted_until === null ? null : dateTime(row.accepted_until),
    reason: row.reason,
    accepted_at: dateTime(row.accepted_at),
    accepted_by: row.accepted_by,
  };
}

export function toPathView({ nodes, edges }: Path, icons: Icons) {
  return {
    nodes: nodes.map((node) => ({
      objectId: node.objectId,
      name: node.name,
      kinds: [...node.kinds].sort(compareCodePoints),
      label: labelIn(node, icons),
    })),
    edges: [...edges],
  };
}

function unknown(objectId: string): ShownNode {
  return { objectId, name: objectId, kinds: [] };
}

function labelIn({ kinds }: ShownNode, icons: Icons): string {
  return labelOf(kinds, (kind) => icons.has(kind));
}

const acceptanceCells = ['accepted_until', 'accepted_reason', 'accepted_by', 'accepted_at'];
const plainMembers = Object.keys(members).filter((name) => name !== 'acceptance');
export const csvHeader: readonly string[] = [...plainMembers, ...acceptanceCells];

export function toCsvCells(view: Static<typeof Finding>): Cell[] {
  const { acceptance, ...plain } = view;
  const cells = plain as Readonly<Record<string, Cell>>;
  return [
    ...plainMembers.map((name) => cells[name] ?? null),
    ...[acceptance?.until, acceptance?.reason, acceptance?.accepted_by, acceptance?.accepted_at].map(
      (cell) => cell ?? null,
    ),
  ];
}
