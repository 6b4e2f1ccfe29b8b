import { sourcesLast } from './merge.ts';

/** What an analysis has given a node for want of a statement. It gives way to whatever is stated. */
export interface MadeUp {
  readonly kinds: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface StatedNode {
  readonly kinds: readonly string[];
  readonly properties: Record<string, unknown>;
}

/** As it is stored; `made_up` is the mark that tells the two apart. */
interface Row {
  readonly kinds: string;
  readonly properties: string;
  readonly made_up: string | null;
}

interface Mark {
  readonly kinds: readonly string[];
  readonly properties: readonly string[];
}

export const nothingMadeUp: MadeUp = Object.freeze({ kinds: [], properties: Object.freeze({}) });

export function statedKinds({ kinds, made_up }: Omit<Row, 'properties'>): string[] {
  const all: string[] = JSON.parse(kinds);
  if (made_up === null) return all;
  const mark: Mark = JSON.parse(made_up);
  return all.filter((kind) => !mark.kinds.includes(kind));
}

export function takeApart(row: Row): { readonly stated: StatedNode; readonly madeUp: MadeUp } {
  const kinds = statedKinds(row);
  const properties: Record<string, unknown> = JSON.parse(row.properties);
  if (row.made_up === null) return { stated: { kinds, properties }, madeUp: nothingMadeUp };
  const mark: Mark = JSON.parse(row.made_up);
  const part = (isMadeUp: boolean) =>
    Object.fromEntries(
      Object.entries(properties).filter(([name]) => mark.properties.includes(name) === isMadeUp),
    );
  return {
    stated: { kinds, properties: part(false) },
    madeUp: { kinds: mark.kinds, properties: part(true) },
  };
}

/** Both together, with their mark; of what was made up only what is not stated. */
export function putTogether(
  stated: StatedNode,
  madeUp = nothingMadeUp,
): StatedNode & { readonly mark: string | null } {
  const kinds = madeUp.kinds.filter((kind) => !stated.kinds.includes(kind));
  const names = Object.keys(madeUp.properties).filter((name) => (stated.properties[name] ?? '') === '');
  if (kinds.length === 0 && names.length === 0) return { ...stated, mark: null };
  const mark: Mark = { kinds, properties: names };
  return {
    // The first kind is what a node is shown as, so a kind that it should have had comes first.
    kinds: sourcesLast([...kinds, ...stated.kinds]),
    properties: {
      ...stated.properties,
      ...Object.fromEntries(names.map((name) => [name, madeUp.properties[name]])),
    },
    mark: JSON.stringify(mark),
  };
}

/** The kinds of a node for which these are stated now. */
export function withMadeUpKinds(stated: readonly string[], row: Row | undefined): readonly string[] {
  if (row === undefined || row.made_up === null) return stated;
  return putTogether({ kinds: stated, properties: {} }, takeApart(row).madeUp).kinds;
}
