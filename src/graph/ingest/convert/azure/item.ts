import { type Draft, nameType, nothing, plainId } from '../draft.ts';
import { isObject } from '../members.ts';
import { Field, type Properties } from '../statements.ts';

/** Reads the `data` of an item into what it states. */
export type ItemReader = (item: AzureItem, data: object) => void;
export type ItemReaders = readonly (readonly [kind: string, read: ItemReader])[];

/** One list per kind, so that a million references share it. */
const kindLists = new Map<string, readonly string[]>([['AZBase', Object.freeze(['AZBase'])]]);

function kindsOf(kind: string): readonly string[] {
  let kinds = kindLists.get(kind);
  if (kinds === undefined) {
    kinds = Object.freeze([kind, 'AZBase']);
    kindLists.set(kind, kinds);
  }
  return kinds;
}

export interface End {
  readonly kind: string;
  /** In upper case; without it there is no edge, and no node with an empty id. */
  readonly id: string | undefined;
}

/** An item that is being read. Nothing in here throws because of what it contains. */
export class AzureItem {
  readonly draft: Draft;
  readonly kind: string;
  readonly #named = new Map<string, string>();

  constructor(draft: Draft, kind: string) {
    this.draft = draft;
    this.kind = kind;
  }

  /** The item can't be read: counted by its kind, and told by its position. */
  refuse(path: string, reason: string): void {
    this.draft.warn(path, reason);
    this.draft.skipped = this.kind;
  }

  /** Undefined when there is none, with a warning unless it is simply empty. */
  id(value: unknown, path: string): string | undefined {
    return plainId(value) ?? this.draft.id(value, path);
  }

  /** An id without which the item says nothing. */
  needed(value: unknown, path: string): string | undefined {
    const id = this.id(value, path);
    if (id !== undefined) return id;
    if (value === undefined || value === null || value === '') this.draft.warn(path, 'is missing');
    this.draft.skipped = this.kind;
    return undefined;
  }

  /** A node that the item is about. */
  node(kind: string, id: string, properties: Properties): void {
    this.#named.set(id, kind);
    this.draft.node({ objectId: id, kinds: kindsOf(kind), properties, collected: true });
  }

  /** A node that the item tells something about in passing: its own item, if there is one, knows better. */
  reference(kind: string, id: string, properties: Properties): void {
    this.#named.set(id, kind);
    this.draft.node({ objectId: id, kinds: kindsOf(kind), properties, collected: false });
  }

  edge(start: End, kind: string, end: End, properties: Properties = nothing): void {
    if (start.id === undefined || end.id === undefined) return;
    this.#name(start.kind, start.id);
    this.#name(end.kind, end.id);
    this.draft.edge(start.id, kind, end.id, Field.Azure, properties);
  }

  #name(kind: string, id: string): void {
    const named = this.#named.get(id);
    if (named === kind || (named !== undefined && kind === 'AZBase')) return;
    this.reference(kind, id, nothing);
  }
}

/** The members of an object inside the item; of nothing when it is missing. */
export function part<T>(item: AzureItem, value: unknown, path: string, read: (value: object) => T): T {
  return read(isObject(value) ? value : (item.draft.object(value, path) ?? {}));
}

/** What the elements of a list hold; those that are no objects are left out, with a warning. */
export function* elements<T>(
  item: AzureItem,
  value: unknown,
  path: string,
  read: (value: object) => T,
): Generator<readonly [members: T, index: number]> {
  const list = item.draft.list(value, path);
  for (const [index, element] of list.entries()) {
    if (isObject(element)) yield [read(element), index];
    else item.draft.warn(`${path}[${index}]`, `must be an object, but is ${nameType(element)}`);
  }
}

/** The path of a subscription, which some items give as its bare id. */
export function subscriptionId(item: AzureItem, value: unknown, path: string): string | undefined {
  const id = item.id(value, path)?.replace(/\/+$/, '');
  if (id === undefined || id === '') return undefined;
  return id.startsWith('/') ? id : `/SUBSCRIPTIONS/${id}`;
}

/** A text that is not empty. */
export function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `LEFT@RIGHT`, or what there is of it: an empty half leaves no `@` behind. */
export function joined(left: unknown, right: unknown): string | undefined {
  const [name, place] = [filled(left), filled(right)];
  return name === undefined || place === undefined ? name : `${name}@${place}`;
}
