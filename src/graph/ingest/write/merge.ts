import { Field, type Properties } from '../convert/statements.ts';

export type Stored = Record<string, unknown>;

/** Kinds that only say where a node comes from: they stand last, so that they are no label beside another kind. */
const sourceKinds: ReadonlySet<string> = new Set(['Base', 'AZBase']);

/**
 * The kinds of a node that had `existing` when `stated` are added. A record about the object itself comes before
 * references to it, whichever arrives first; references alone are sorted, so that their order does not matter.
 */
export function uniteKinds(
  existing: readonly string[],
  stated: readonly string[],
  { isCollected, wasCollected }: { readonly isCollected: boolean; readonly wasCollected: boolean },
): readonly string[] {
  if (stated.every((kind) => existing.includes(kind)) && (wasCollected || !isCollected)) return existing;
  const isFirstRecord = isCollected && !wasCollected;
  const all = [...new Set(isFirstRecord ? [...stated, ...existing] : [...existing, ...stated])];
  return sourcesLast(isCollected || wasCollected ? all : all.sort());
}

export function sourcesLast(kinds: readonly string[]): string[] {
  return [
    ...kinds.filter((kind) => !sourceKinds.has(kind)),
    ...kinds.filter((kind) => sourceKinds.has(kind)),
  ];
}

/** The later properties win; null removes. */
export function mergeProperties(into: Stored, stated: Properties): void {
  for (const [key, value] of Object.entries(stated)) {
    if (value === null) delete into[key];
    else into[key] = value;
  }
}

/** What a reference says about an object counts less than its own record. */
export function fillProperties(into: Stored, stated: Properties): void {
  for (const [key, value] of Object.entries(stated)) {
    if (value !== null && !Object.hasOwn(into, key)) into[key] = value;
  }
}

const weakest = Field.OpenGraph | Field.Azure | Field.Elsewhere;

function rankOf(fields: number): number {
  return 32 - Math.clz32(fields & ~weakest);
}

export interface StatedProperties {
  readonly fields: number;
  readonly properties: Properties;
}

/**
 * An edge that two fields state has the properties of both. Where they differ the field with the higher number
 * wins whichever comes first (a primary group is one although the group lists its members too); of one field the
 * later statement.
 */
export function mergeEdge(earlier: StatedProperties, later: StatedProperties): Properties {
  return rankOf(later.fields) >= rankOf(earlier.fields)
    ? { ...earlier.properties, ...later.properties }
    : { ...later.properties, ...earlier.properties };
}

export function withoutNulls(properties: Properties): Properties {
  for (const key of Object.keys(properties)) {
    if (properties[key] === null) {
      return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));
    }
  }
  return properties;
}
