import { serverItself } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { recordAudit } from './record.ts';

/**
 * Work of the server itself that takes many transactions of the graph: its intent is recorded with the first of them
 * that changes anything, its outcome at the end. So a process that is killed in between leaves a record.
 */
export class LongWork {
  readonly #deps: Pick<Deps, 'db' | 'graph' | 'clock'>;
  readonly #action: string;
  readonly #fields: Record<string, unknown>;
  #begun = false;

  constructor(deps: Pick<Deps, 'db' | 'graph' | 'clock'>, action: string, fields: Record<string, unknown>) {
    this.#deps = deps;
    this.#action = action;
    this.#fields = fields;
  }

  /** In the transaction that has changed something. Where the stores are two files, the record is durable first. */
  async begin(graph: Transaction): Promise<void> {
    if (this.#begun) return;
    const { db } = this.#deps;
    if (db === this.#deps.graph) await this.#record(graph, 'intent', this.#fields);
    else await db.transaction((db) => this.#record(db, 'intent', this.#fields));
    graph.afterCommit(() => {
      this.#begun = true;
    });
  }

  /** Nothing is recorded of work that changed nothing. */
  async finish(results: Record<string, unknown>): Promise<void> {
    if (!this.#begun) return;
    await this.#deps.db.transaction((db) => this.#record(db, 'success', { ...this.#fields, ...results }));
  }

  #record(db: Transaction, outcome: 'intent' | 'success', fields: Record<string, unknown>): Promise<void> {
    return recordAudit(db, serverItself, this.#deps.clock(), { action: this.#action, outcome, fields });
  }
}
