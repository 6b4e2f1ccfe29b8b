import type { Transaction } from '../../../db/client.ts';
import { quoteShort } from '../../../values/text.ts';
import type { EdgeEnd, EdgeStatement, NodeMatch } from '../convert/statements.ts';
import { Chunks } from './chunks.ts';
import { claimForeign } from './claims.ts';
import { EdgeWriter } from './edge-writer.ts';
import { ForestRecords } from './forest-records.ts';
import { findMatches } from './matches.ts';
import { loadIds, loadRecords, touchRecords } from './node-rows.ts';
import { NodeWriter } from './node-writer.ts';
import { MustApplyAll, type StagedRecord, type Visit, type Written } from './staged.ts';
import { Withdrawals } from './withdrawals.ts';

/** Edges whose ends have to be looked up, kept in memory. */
const mostWaiting = 5000;

/** Applies the statements of one file inside one transaction, batch by batch. */
export class Applier {
  readonly #visit: Visit;
  readonly #nodes: NodeWriter;
  readonly #edges: EdgeWriter;
  readonly #withdrawals: Withdrawals;
  /** Ends can be looked up only when the file has stated all its nodes. */
  readonly #later: Chunks<EdgeStatement>;
  readonly #forest: ForestRecords;
  readonly #warn: (warning: string) => void;
  #waiting: EdgeStatement[] = [];
  #newNodesFrom = 0;
  #unmatched = 0;
  #unchanged = 0;

  private constructor(visit: Visit, warn: (warning: string) => void) {
    this.#visit = visit;
    this.#warn = warn;
    this.#nodes = new NodeWriter(visit);
    this.#edges = new EdgeWriter(visit);
    this.#withdrawals = new Withdrawals(visit);
    this.#later = new Chunks(`edges of ${visit.file}`);
    this.#forest = new ForestRecords(visit);
  }

  static async start(db: Transaction, visit: Visit, warn: (warning: string) => void): Promise<Applier> {
    const applier = new Applier(visit, warn);
    const newest = await db.one<{ id: number }>(
      'select cast(coalesce(max(id), 0) as bigint) as id from nodes',
    );
    applier.#newNodesFrom = (newest?.id ?? 0) + 1;
    return applier;
  }

  async apply(db: Transaction, records: readonly StagedRecord[]): Promise<void> {
    await this.#applyNow(db, await this.#forest.sort(db, records));
  }

  async #applyNow(db: Transaction, records: readonly StagedRecord[]): Promise<void> {
    const repeated = findRepeated(records);
    const unchanged = records.filter((record) => record.unchanged !== undefined);
    if (unchanged.some(({ own }) => own !== undefined && repeated.has(own))) throw new MustApplyAll();
    await this.#passOver(db, unchanged);
    const stated = records.filter((record) => record.unchanged === undefined);
    if (stated.length === 0) return;
    for (const record of stated) this.#stateNodes(record);
    await this.#nodes.load(db);
    for (const { own, hash } of stated) {
      if (own === undefined || hash === undefined) continue;
      const before = this.#nodes.rowOf(own)?.record_file;
      if (before === -this.#visit.file) throw new MustApplyAll();
      // Of two records about one object, either alone would say too little.
      this.#nodes.remember(own, repeated.has(own) || before === this.#visit.file ? null : hash);
    }
    await this.#nodes.write(db);
    for (const record of stated) for (const edge of record.edges) await this.#stateEdge(db, edge);
    await this.#edges.write(db);
    await claimForeign(db, stated, this.#visit, (objectId) => this.#nodes.idOf(objectId));
    await this.#noteWithdrawals(db, stated);
    this.#nodes.clear();
  }

  async finish(db: Transaction): Promise<Written> {
    for await (const records of this.#forest.decided(db)) await this.#applyNow(db, records);
    if (this.#later.count > 0) {
      for await (const edges of this.#later.read(db)) await this.#match(db, edges);
      await this.#later.remove(db);
    }
    await this.#match(db, this.#waiting);
    await this.#withdrawals.finish(db);
    return {
      nodes: this.#nodes.written,
      edges: this.#edges.written,
      unmatched: this.#unmatched,
      withdrawn: this.#withdrawals.withdrawn,
      unchanged: this.#unchanged,
    };
  }

  async #passOver(db: Transaction, records: readonly StagedRecord[]): Promise<void> {
    if (records.length === 0) return;
    if (this.#visit.isStaged) await checkUnchanged(db, records);
    const ids = records.map((record) => record.unchanged ?? 0);
    if ((await touchRecords(db, ids, this.#visit)) !== ids.length) throw new MustApplyAll();
    this.#unchanged += records.length;
  }

  #stateNodes(record: StagedRecord): void {
    for (const node of record.nodes) this.#nodes.add(node);
    for (const { start, end, through } of record.edges) {
      if (typeof start !== 'string' || typeof end !== 'string') continue;
      this.#nodes.mention(start);
      this.#nodes.mention(end);
      if (through !== undefined) this.#nodes.mention(through);
    }
  }

  async #stateEdge(db: Transaction, edge: EdgeStatement): Promise<void> {
    const { start, end, through } = edge;
    if (typeof start === 'string' && typeof end === 'string') {
      const nodes = this.#nodes;
      const throughId = through === undefined ? undefined : nodes.idOf(through);
      this.#edges.add(edge, nodes.idOf(start), nodes.idOf(end), throughId);
      return;
    }
    this.#waiting.push(edge);
    if (this.#waiting.length < mostWaiting) return;
    await this.#later.write(db, this.#waiting, this.#visit.seenAt);
    this.#waiting = [];
  }

  async #match(db: Transaction, edges: readonly EdgeStatement[]): Promise<void> {
    if (edges.length === 0) return;
    const ends = edges.flatMap((edge) => [edge.start, edge.end]).filter((end) => typeof end !== 'string');
    const found = await findMatches(db, ends);
    const resolved: EdgeStatement[] = [];
    for (const edge of edges) {
      const [start, end] = [edge.start, edge.end].map((end) => {
        const one = typeof end === 'string' ? { objectId: end } : found.get(end);
        if (one !== undefined && 'objectId' in one) return one.objectId;
        const problem = one?.count === 2 ? 'more than one node has' : 'no node has';
        this.#warn(`an edge ${quoteShort(edge.kind)} was left out: ${problem} ${describe(end)}`);
        return undefined;
      });
      if (start !== undefined && end !== undefined) resolved.push({ ...edge, start, end });
      else this.#unmatched += 1;
    }
    const record = { nodes: [], edges: resolved, wholes: [] };
    this.#stateNodes(record);
    await this.#nodes.write(db);
    for (const edge of resolved) await this.#stateEdge(db, edge);
    await this.#edges.write(db);
    this.#nodes.clear();
  }

  async #noteWithdrawals(db: Transaction, records: readonly StagedRecord[]): Promise<void> {
    const wholes = records.flatMap((record) => record.wholes);
    if (wholes.length === 0) return;
    const ids = await loadIds(db, [...new Set(wholes.map((whole) => whole.objectId))]);
    await this.#withdrawals.note(
      db,
      wholes.flatMap((whole) => {
        const id = ids.get(whole.objectId);
        // A node that this file has made has no edges from before.
        return id === undefined || id >= this.#newNodesFrom ? [] : [{ ...whole, id }];
      }),
    );
  }
}

/** Another file may have been applied since the records were compared. */
async function checkUnchanged(db: Transaction, records: readonly StagedRecord[]): Promise<void> {
  const known = await loadRecords(
    db,
    records.map((record) => record.own ?? ''),
  );
  for (const { own, hash, unchanged } of records) {
    const row = known.get(own ?? '');
    if (row === undefined || row.id !== unchanged || row.record_hash !== hash) throw new MustApplyAll();
  }
}

function findRepeated(records: readonly StagedRecord[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { own } of records) {
    if (own === undefined) continue;
    if (seen.has(own)) repeated.add(own);
    seen.add(own);
  }
  return repeated;
}

function describe(end: EdgeEnd | undefined): string {
  const { properties, kind } = end as NodeMatch;
  const values = properties.map(({ key, value }) => `${quoteShort(key)} ${quoteShort(String(value))}`);
  return values.join(' and ') + (kind === undefined ? '' : ` and kind ${quoteShort(kind)}`);
}
