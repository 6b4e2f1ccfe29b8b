import type { Transaction } from '../../../db/client.ts';
import type { NodeStatement, Properties } from '../convert/statements.ts';
import { Interner } from './interner.ts';
import { putTogether, statedKinds, takeApart, withMadeUpKinds } from './made-up.ts';
import { fillProperties, mergeProperties, uniteKinds } from './merge.ts';
import {
  loadIds,
  loadNodes,
  type NewNodeRow,
  type NodeRow,
  nameOf,
  touchNodes,
  upsertNodes,
} from './node-rows.ts';
import type { Visit } from './staged.ts';

/** A node that this file has already seen. */
interface Known {
  readonly id: number;
  readonly kinds: readonly string[];
}

/** What a batch says about one node. */
interface Draft {
  isCollected: boolean;
  /** Of its own records first, then of references. */
  ownKinds: readonly string[];
  kinds: string[];
  own: Record<string, Properties[string]> | undefined;
  referred: Record<string, Properties[string]> | undefined;
  scanned: number | undefined;
  hash: string | null | undefined;
  claimedBy: number | undefined;
}

/** Ids of nodes kept in memory; what is forgotten is looked up again. */
const mostKnown = 150_000;

/** Writes the nodes of one file, batch by batch. */
export class NodeWriter {
  written = 0;
  readonly #visit: Visit;
  readonly #lists = new Interner('kind_lists');
  readonly #known = new Map<string, Known>();
  #drafts = new Map<string, Draft>();
  /** Ids of this batch. */
  #ids = new Map<string, number>();
  #rows = new Map<string, NodeRow>();

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /** Of a node that the batch has named. */
  idOf(objectId: string): number {
    const id = this.#ids.get(objectId);
    if (id === undefined) throw new Error(`the batch did not name ${objectId}`);
    return id;
  }

  /** As it was before this batch; undefined when it is new or when only references to it were known. */
  rowOf(objectId: string): NodeRow | undefined {
    return this.#rows.get(objectId);
  }

  /** Something that is only named, such as the end of an edge. */
  mention(objectId: string): void {
    if (this.#ids.has(objectId) || this.#drafts.has(objectId)) return;
    this.#refer(objectId, []);
  }

  add(node: NodeStatement): void {
    const hasProperties = hasMembers(node.properties);
    if (!node.collected && !hasProperties) {
      this.#refer(node.objectId, node.kinds);
      return;
    }
    const draft = this.#draft(node.objectId);
    if (node.collected) {
      draft.isCollected = true;
      draft.ownKinds = [...new Set([...draft.ownKinds, ...node.kinds])];
      draft.own = Object.assign(draft.own ?? {}, node.properties);
      if (node.scanned !== undefined) {
        draft.scanned = (node.scanned.sessions ? 1 : 0) | (node.scanned.localGroups ? 2 : 0);
      }
    } else {
      for (const kind of node.kinds) if (!draft.kinds.includes(kind)) draft.kinds.push(kind);
      draft.referred = Object.assign(draft.referred ?? {}, node.properties);
    }
  }

  /** `null`: the node's record must be applied whenever it comes. */
  remember(objectId: string, hash: string | null): void {
    this.#draft(objectId).hash = hash;
  }

  claim(objectId: string, by: number): void {
    this.#draft(objectId).claimedBy = by;
  }

  #refer(objectId: string, kinds: readonly string[]): void {
    const known = this.#known.get(objectId);
    if (known !== undefined && kinds.every((kind) => known.kinds.includes(kind))) {
      this.#ids.set(objectId, known.id);
      return;
    }
    const draft = this.#draft(objectId);
    for (const kind of kinds) if (!draft.kinds.includes(kind)) draft.kinds.push(kind);
  }

  #draft(objectId: string): Draft {
    let draft = this.#drafts.get(objectId);
    if (draft === undefined) {
      draft = {
        isCollected: false,
        ownKinds: [],
        kinds: [],
        own: undefined,
        referred: undefined,
        scanned: undefined,
        hash: undefined,
        claimedBy: undefined,
      };
      this.#drafts.set(objectId, draft);
    }
    return draft;
  }

  /** Looks up what the batch has named so far; `rowOf` then knows it. */
  async load(db: Transaction): Promise<void> {
    const wanted = [...this.#drafts.keys()].filter((objectId) => !this.#rows.has(objectId));
    for (const [objectId, row] of await loadNodes(db, wanted)) this.#rows.set(objectId, row);
  }

  /** Writes the batch. Afterwards `idOf` knows every node of it, until `clear`. */
  async write(db: Transaction): Promise<void> {
    await this.load(db);
    const planned = [...this.#drafts].map(([objectId, draft]) => {
      const row = this.#rows.get(objectId);
      return { objectId, draft, row, kinds: this.#kindsAfter(draft, row) };
    });
    const texts = planned.map(({ row, kinds }) =>
      kinds === undefined ? (row?.kinds ?? '[]') : JSON.stringify(withMadeUpKinds(kinds, row)),
    );
    await this.#lists.ensure(db, texts);
    const changed: NewNodeRow[] = [];
    const touched: number[] = [];
    const added: string[] = [];
    planned.forEach(({ objectId, draft, row, kinds }, index) => {
      const listId = this.#lists.idOf(texts[index] as string);
      const after = this.#rowAfter(objectId, draft, row, kinds, listId);
      if (row === undefined) added.push(objectId);
      else this.#ids.set(objectId, row.id);
      if (after !== undefined) changed.push(after);
      else if (row !== undefined && row.last_seen < this.#visit.seenAt) touched.push(row.id);
    });
    await upsertNodes(db, changed);
    await touchNodes(db, touched, this.#visit.seenAt);
    for (const [objectId, id] of await loadIds(db, added)) this.#ids.set(objectId, id);
    this.written += changed.length;
    planned.forEach(({ objectId, row, kinds }) => {
      this.#keep(objectId, kinds ?? (row === undefined ? [] : statedKinds(row)));
    });
  }

  clear(): void {
    this.#drafts = new Map();
    this.#ids = new Map();
    this.#rows = new Map();
  }

  #keep(objectId: string, kinds: readonly string[]): void {
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(objectId, { id: this.idOf(objectId), kinds: this.#shared(kinds) });
  }

  readonly #kindLists = new Map<string, readonly string[]>();

  /** A few lists serve all nodes. */
  #shared(kinds: readonly string[]): readonly string[] {
    const key = kinds.join('\n');
    let list = this.#kindLists.get(key);
    if (list === undefined) {
      if (this.#kindLists.size > 10_000) this.#kindLists.clear();
      list = kinds;
      this.#kindLists.set(key, list);
    }
    return list;
  }

  /** Those that are stated; undefined when they stay as they are. */
  #kindsAfter(draft: Draft, row: NodeRow | undefined): readonly string[] | undefined {
    const existing = row === undefined ? [] : statedKinds(row);
    const wasCollected = row !== undefined && row.last_collected !== null;
    let kinds = uniteKinds(existing, draft.ownKinds, { isCollected: draft.isCollected, wasCollected });
    kinds = uniteKinds(kinds, draft.kinds, {
      isCollected: false,
      wasCollected: wasCollected || draft.isCollected,
    });
    return row !== undefined && kinds === existing ? undefined : kinds;
  }

  /** Undefined when nothing about the node is new but that it was seen. */
  #rowAfter(
    objectId: string,
    draft: Draft,
    row: NodeRow | undefined,
    kinds: readonly string[] | undefined,
    listId: number,
  ): NewNodeRow | undefined {
    const { file, seenAt } = this.#visit;
    const isRecord = draft.hash !== undefined;
    const isPlain = draft.own === undefined && draft.referred === undefined;
    if (row !== undefined && isPlain && !isRecord && !draft.isCollected) {
      const isSame = kinds === undefined && (draft.claimedBy ?? row.claimed_by) === row.claimed_by;
      if (isSame) return undefined;
    }
    const wasCollected = row !== undefined && row.last_collected !== null;
    const before = row === undefined ? undefined : takeApart(row);
    const properties = before?.stated.properties ?? { objectid: objectId };
    if (draft.referred !== undefined) {
      if (wasCollected) fillProperties(properties, draft.referred);
      else mergeProperties(properties, draft.referred);
    }
    if (draft.own !== undefined) mergeProperties(properties, draft.own);
    const after = putTogether({ kinds: kinds ?? before?.stated.kinds ?? [], properties }, before?.madeUp);
    const collectedAt = draft.isCollected ? seenAt : 0;
    return {
      object_id: objectId,
      kind_list_id: listId,
      name: nameOf(after.properties),
      properties: isPlain && row !== undefined ? row.properties : JSON.stringify(after.properties),
      last_seen: Math.max(seenAt, row?.last_seen ?? 0),
      last_collected: Math.max(collectedAt, row?.last_collected ?? 0) || null,
      scanned: draft.scanned ?? row?.scanned ?? null,
      // Another record about the object may have said something else, so the one that is remembered has to come again.
      record_hash: isRecord || draft.isCollected ? (draft.hash ?? null) : (row?.record_hash ?? null),
      stated_at: isRecord ? seenAt : (row?.stated_at ?? 0),
      record_file: isRecord ? file : (row?.record_file ?? 0),
      claimed_by: draft.claimedBy ?? row?.claimed_by ?? null,
      made_up: after.mark,
    };
  }
}

function hasMembers(properties: Properties): boolean {
  for (const _ in properties) return true;
  return false;
}
