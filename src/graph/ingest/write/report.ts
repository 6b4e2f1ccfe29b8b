import type { Remark, Statements } from '../convert/statements.ts';
import type { ReadRecord } from '../reader/read-records.ts';
import type { FileResult } from '../result.ts';
import type { Written } from './staged.ts';

const mostWarnings = 50;
const mostErrors = 15;
/** Kinds that are counted by name. */
const mostKinds = 200;

/** Collects what is told about one file. */
export class Report {
  records = 0;
  readonly errors: string[] = [];
  readonly #warnings: string[] = [];
  readonly #kinds = new Map<string, number>();
  readonly #skipped = new Map<string, number>();
  #moreWarnings = 0;

  get hasEnoughErrors(): boolean {
    return this.errors.length >= mostErrors;
  }

  count(kind: string): void {
    this.records += 1;
    increment(this.#kinds, kind);
  }

  warn(warning: string): void {
    if (this.#warnings.length < mostWarnings) this.#warnings.push(warning);
    else this.#moreWarnings += 1;
  }

  take(record: ReadRecord, statements: Statements): void {
    for (const problem of statements.problems) {
      if (!this.hasEnoughErrors) this.errors.push(describe(record, problem));
    }
    for (const warning of statements.warnings) this.warn(describe(record, warning));
    this.#moreWarnings += statements.moreWarnings;
    if (statements.skipped !== undefined) increment(this.#skipped, statements.skipped);
  }

  complete(name: string, archive: string | undefined, written: Written): FileResult {
    return { ...this.#result(name, archive), ...written, outcome: 'complete' };
  }

  failed(name: string, archive: string | undefined, errors: readonly string[]): FileResult {
    return { ...this.#result(name, archive), outcome: 'failed', errors };
  }

  #result(name: string, archive: string | undefined): Omit<FileResult, 'outcome'> {
    const more = this.#moreWarnings;
    return {
      name,
      archive,
      records: this.records,
      kinds: Object.fromEntries(this.#kinds),
      nodes: 0,
      edges: 0,
      withdrawn: 0,
      skipped: Object.fromEntries(this.#skipped),
      warnings: more === 0 ? this.#warnings : [...this.#warnings, `and ${more} more warnings`],
      warningCount: this.#warnings.length + more,
      errors: [],
    };
  }
}

function increment(counts: Map<string, number>, name: string): void {
  const kind = counts.has(name) || counts.size < mostKinds ? name : 'others';
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

function describe({ section, index, offset }: ReadRecord, { path, reason }: Remark): string {
  return `record ${index} of ${section}, byte ${offset}: ${path} ${reason}`;
}
