import { inList, type Transaction } from '../../../db/client.ts';
import { slices } from './staged.ts';

/** So that a file with a new kind in every record needs no more memory than any other. */
const mostKept = 20_000;

/** The numbers of the texts in a table of distinct texts; those that are missing are added. */
export class Interner {
  readonly #table: 'kind_lists' | 'edge_kinds';
  readonly #column: 'kinds' | 'name';
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(table: 'kind_lists' | 'edge_kinds') {
    this.#table = table;
    this.#column = table === 'kind_lists' ? 'kinds' : 'name';
  }

  /** Makes sure that all of these have a number; `idOf` then gives it. */
  async ensure(db: Transaction, texts: Iterable<string>): Promise<void> {
    const wanted = new Set(texts);
    if (this.#ids.size + wanted.size > mostKept) {
      this.#ids.clear();
      this.#texts.clear();
    }
    const unknown = [...wanted].filter((text) => !this.#ids.has(text));
    if (unknown.length === 0) return;
    await this.#load(db, unknown);
    const missing = unknown.filter((text) => !this.#ids.has(text));
    if (missing.length === 0) return;
    const rows = missing.map((text) => [text]);
    await db.bulk(this.#table, [this.#column], rows, `on conflict (${this.#column}) do nothing`);
    await this.#load(db, missing);
  }

  idOf(text: string): number {
    const id = this.#ids.get(text);
    if (id === undefined) throw new Error(`${this.#table} has no number for ${text}`);
    return id;
  }

  /** The text of a number that was loaded before. */
  textOf(id: number): string | undefined {
    return this.#texts.get(id);
  }

  learn(id: number, text: string): void {
    if (this.#ids.has(text)) return;
    this.#ids.set(text, id);
    this.#texts.set(id, text);
  }

  async #load(db: Transaction, texts: readonly string[]): Promise<void> {
    for (const some of slices(texts)) {
      const list = inList(some, 1);
      const rows = await db.query<{ id: number; text: string }>(
        `select id, ${this.#column} as text from ${this.#table} where ${this.#column} in (${list.sql})`,
        list.params,
      );
      for (const row of rows) this.learn(row.id, row.text);
    }
  }
}
