import type { Transaction } from '../../../db/client.ts';
import { addingOnly } from '../convert/standing.ts';
import { Chunks } from './chunks.ts';
import { batchRecords, type StagedRecord, type Visit } from './staged.ts';

/**
 * Objects of a forest's Configuration, which the collectors of all its domains list, each as far as it may read them.
 * They wait for the end of their file: only then it is known which domains it lists, and so whether it speaks for them
 * (gap 4.5).
 */
export class ForestRecords {
  readonly #visit: Visit;
  readonly #full: Chunks<StagedRecord>;
  readonly #listed = new Set<string>();
  #last: StagedRecord[] = [];

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#full = new Chunks(`forest of ${visit.file}`);
  }

  /** Keeps those that have to wait, and gives the others back. */
  async sort(db: Transaction, records: readonly StagedRecord[]): Promise<StagedRecord[]> {
    const others: StagedRecord[] = [];
    for (const record of records) {
      if (record.listed !== undefined) this.#listed.add(record.listed);
      (record.forest === undefined ? others : this.#last).push(record);
    }
    if (this.#last.length >= batchRecords) {
      await this.#full.write(db, this.#last, this.#visit.seenAt);
      this.#last = [];
    }
    return others;
  }

  /** To be called when the file is over. */
  async *decided(db: Transaction): AsyncGenerator<StagedRecord[], void, undefined> {
    if (this.#full.count > 0) {
      for await (const records of this.#full.read(db)) yield records.map((record) => this.#decide(record));
      await this.#full.remove(db);
    }
    if (this.#last.length > 0) yield this.#last.map((record) => this.#decide(record));
  }

  /** A file that lists no domain, such as one of certificate templates, speaks for those that its objects name. */
  #decide(record: StagedRecord): StagedRecord {
    const isSpokenFor = this.#listed.size === 0 || this.#listed.has(record.forest ?? '');
    return isSpokenFor ? record : addingOnly(record);
  }
}
