import Type, { type Static } from 'typebox';
import { maxIdLength } from '../../graph/ingest/convert/limits.ts';
import { kindOfZone, kindsWithZone } from '../../graph/node-zones.ts';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  published,
  Struct,
  visibleName,
} from '../../http/schemas.ts';
import { compareCodePoints } from '../../values/text.ts';
import type { MemberRow, TagCounts } from './member-store.ts';
import type { Selection } from './selector-store.ts';
import type { TagRow } from './store.ts';
import { hygieneTag, maxDescriptionLength, maxNameLength, maxSeeds } from './tags.ts';

export const Count = Type.Integer({ minimum: 0 });

export const Tag = Struct(
  {
    id: Type.Integer({ description: '0 is Hygiene, 1 is Tier Zero' }),
    type: Type.Integer({ description: '1, a zone' }),
    kind_id: Type.Integer({ description: 'The id once more: the kind of a zone has its number' }),
    kind: Type.String({ description: 'What its nodes show among their kinds after the next analysis' }),
    name: Type.String(),
    description: Type.String(),
    position: Type.Integer({ description: '1 is Tier Zero; a node is in the zone with the lowest' }),
    require_certify: Type.Boolean({ description: 'Always false: selected is in' }),
    analysis_enabled: Type.Boolean({ description: 'Always true' }),
    glyph: Type.Null(),
    created_at: DateTime,
    created_by: Type.String(),
    updated_at: DateTime,
    updated_by: Type.String(),
    deleted_at: Type.Null(),
    deleted_by: Type.Null(),
    counts: Type.Optional(
      Struct(
        {
          selectors: Count,
          custom_selectors: Count,
          default_selectors: Count,
          disabled_selectors: Count,
          members: Count,
        },
        { description: 'With counts=true' },
      ),
    ),
  },
  { title: 'AssetGroupTag' },
);

const noCounts: TagCounts = {
  selectors: 0,
  custom_selectors: 0,
  default_selectors: 0,
  disabled_selectors: 0,
  members: 0,
};

/** gap 9.1: Hygiene is shown by its number, but is in no list: it has no members and no place among zones. */
export const hygiene: TagRow = {
  id: hygieneTag,
  type: 1,
  name: 'Hygiene',
  description: 'Findings outside of all zones',
  position: 0,
  created_at: 0,
  created_by: 'kennel',
  updated_at: 0,
  updated_by: 'kennel',
};

export function toTagView(row: TagRow, counts?: ReadonlyMap<number, TagCounts>): Static<typeof Tag> {
  return {
    id: row.id,
    type: row.type,
    kind_id: row.id,
    kind: kindOfZone(row.name),
    name: row.name,
    description: row.description,
    position: row.position,
    require_certify: false,
    analysis_enabled: true,
    glyph: null,
    created_at: dateTime(row.created_at),
    created_by: row.created_by,
    updated_at: dateTime(row.updated_at),
    updated_by: row.updated_by,
    deleted_at: null,
    deleted_by: null,
    ...(counts === undefined ? {} : { counts: counts.get(row.id) ?? noCounts }),
  };
}

const Name = Type.String(published({ minLength: 1, maxLength: maxNameLength, pattern: visibleName }));
/** It becomes a kind. */
const ZoneName = Type.String({
  description: 'With a letter from A to Z or a digit',
  ...published({ maxLength: maxNameLength, pattern: `(?=.*[A-Za-z0-9])${visibleName}` }),
});
const Description = Type.Optional(Type.String(published({ maxLength: maxDescriptionLength })));
const OnlyOne = published({ const: 1 });
const Position = Type.Integer(published({ minimum: 2 }));

/** Taken because deployed clients send them. */
const ignored = {
  require_certify: Type.Optional(
    Nullable(Type.Boolean(), { description: 'No effect: there is no certification, what is selected is in' }),
  ),
  analysis_enabled: Type.Optional(
    Nullable(Type.Boolean(), { description: 'No effect: every zone is analysed' }),
  ),
  glyph: Type.Optional(Nullable(Type.String({ maxLength: 1000 }), { description: 'No effect' })),
  tag: Type.Optional(Type.Unknown({ description: 'No effect: the kind follows from the name' })),
};
const TagType = Type.Optional(
  Type.Integer({
    description: '1, a zone, is all there is; others are refused, because a zone changes what is Tier Zero',
    ...OnlyOne,
  }),
);

export const NewTag = Struct({
  name: ZoneName,
  type: TagType,
  description: Description,
  position: Type.Optional(Nullable(Position, { description: 'null or left out: behind all others' })),
  ...ignored,
});
export const ChangedTag = Struct({
  name: Type.Optional(ZoneName),
  type: TagType,
  description: Description,
  position: Type.Optional(Nullable(Position, { description: 'null or left out: where it is' })),
  ...ignored,
});

const Seed = Struct({
  type: Type.Optional(Type.Integer({ description: '1, an object id, is all there is', ...OnlyOne })),
  value: Type.String({
    description: 'An object id; nothing needs to have it yet',
    ...published({ pattern: '\\S', maxLength: maxIdLength }),
  }),
});
const Seeds = Type.Array(Seed, published({ minItems: 1, maxItems: maxSeeds }));

export const Selector = Struct(
  {
    id: Type.Integer(),
    asset_group_tag_id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    is_default: Type.Boolean({ description: 'Selects by a built-in rule, not by object ids' }),
    rule: Type.String({ description: 'The key of the built-in rule; empty for others' }),
    allow_disable: Type.Boolean(),
    disabled: Type.Boolean(),
    disabled_at: Nullable(DateTime),
    disabled_by: NullableString,
    auto_certify: Type.Integer({ description: '0: there is no certification' }),
    seeds: Type.Array(Struct({ selector_id: Type.Integer(), type: Type.Integer(), value: Type.String() })),
    created_at: DateTime,
    created_by: Type.String(),
    updated_at: DateTime,
    updated_by: Type.String(),
    counts: Type.Optional(
      Struct(
        {
          members: Nullable(Count, {
            description: 'Nodes of the zone that it names; null for a built-in rule',
          }),
        },
        { description: 'With counts=true' },
      ),
    ),
  },
  { title: 'AssetGroupTagSelector' },
);

/** `members` where they are asked for. A disabled selector has none; a built-in rule's are not told apart. */
export function toSelectorView(
  row: Selection,
  members?: ReadonlyMap<number, number>,
): Static<typeof Selector> {
  return {
    id: row.id,
    asset_group_tag_id: row.tag_id,
    name: row.name,
    description: row.description,
    is_default: row.rule !== null,
    rule: row.rule ?? '',
    allow_disable: row.allow_disable === 1,
    disabled: row.disabled_at !== null,
    disabled_at: row.disabled_at === null ? null : dateTime(row.disabled_at),
    disabled_by: row.disabled_by,
    auto_certify: 0,
    seeds: row.objectIds.map((value) => ({ selector_id: row.id, type: 1, value })),
    created_at: dateTime(row.created_at),
    created_by: row.created_by,
    updated_at: dateTime(row.updated_at),
    updated_by: row.updated_by,
    ...(members === undefined ? {} : { counts: { members: membersOf(row, members) } }),
  };
}

function membersOf(row: Selection, members: ReadonlyMap<number, number>): number | null {
  if (row.disabled_at !== null) return 0;
  return row.rule === null ? (members.get(row.id) ?? 0) : null;
}

const AutoCertify = Type.Optional(
  Type.Union([Type.Integer(), Type.Boolean(), Type.Null()], {
    description: 'No effect: there is no certification, what is selected is in',
  }),
);
const SelectorId = Type.Optional(Type.Integer({ description: 'No effect: the path names the selector' }));

export const NewSelector = Struct({
  id: SelectorId,
  name: Name,
  description: Description,
  auto_certify: AutoCertify,
  seeds: Seeds,
  disabled: Type.Optional(Type.Boolean()),
});
export const ChangedSelector = Struct({
  id: SelectorId,
  name: Type.Optional(Name),
  description: Description,
  auto_certify: AutoCertify,
  seeds: Type.Optional(Seeds),
  disabled: Type.Optional(Type.Boolean()),
});

export const Member = Struct({
  id: Type.Integer({ description: 'The number of the node' }),
  object_id: Type.String(),
  name: Type.String(),
  primary_kind: Type.String({ description: 'The kind that it is shown as' }),
  kinds: Type.Array(Type.String()),
  environment_id: Type.String({ description: 'Empty when it belongs to none' }),
  environment_name: Type.String(),
  source: Type.Integer({ description: '1 selected, 2 below something selected, 3 above' }),
});

export function toMemberView(row: MemberRow): Static<typeof Member> {
  return {
    id: row.id,
    object_id: row.object_id,
    name: row.name,
    primary_kind: row.primary_kind,
    kinds: [...kindsWithZone(JSON.parse(row.kinds), row.zone)].sort(compareCodePoints),
    environment_id: row.environment_id,
    environment_name: row.environment_name ?? '',
    source: row.source,
  };
}
