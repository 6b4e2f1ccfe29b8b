import { cpus } from 'node:os';
import type { Measurement } from './load.ts';

/** One operation in one store. */
export interface Cell {
  readonly store: string;
  readonly size: string;
  readonly operation: string;
  readonly isRead: boolean;
  readonly connections: number;
  readonly kennel: Measurement;
  readonly bare: Measurement;
  readonly bareSql: Measurement | undefined;
}

export function progress(message: string): void {
  process.stderr.write(`${message}\n`);
}

const goals = { sqlite: 0.6, postgres: 0.75, large: 0.9 };

/** Markdown, ready for docs/performance.md. */
export function printTable(cells: readonly Cell[]): void {
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})\n`);
  out(
    '| Store | Operation | Conn. | Size | Kennel req/s | p50 ms | p99 ms | Bare req/s | Kennel / bare | Kennel / bare with SQL | Large / small |',
  );
  out('|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|');
  for (const cell of cells) {
    const { kennel, bare, bareSql } = cell;
    const smaller = cells.find(
      (other) => other.size === 'small' && cell.size === 'large' && isSame(other, cell),
    );
    const ratio = (a: number, b: number | undefined) =>
      b === undefined || b === 0 ? '' : (a / b).toFixed(2);
    out(
      `| ${cell.store} | ${cell.operation} | ${cell.connections} | ${cell.size} | ${Math.round(kennel.perSecond)} | ${kennel.p50} | ${kennel.p99} | ${Math.round(bare.perSecond)} | ${ratio(kennel.perSecond, bare.perSecond)} | ${ratio(kennel.perSecond, bareSql?.perSecond)} | ${ratio(kennel.perSecond, smaller?.kennel.perSecond)} |${kennel.failures > 0 ? ` ${kennel.failures} failures` : ''}`,
    );
  }
  out('');
  printGoals(cells, out);
}

function printGoals(cells: readonly Cell[], out: (line: string) => void): void {
  const reads = cells.filter((cell) => cell.isRead);
  const worst = (name: string, goal: number, ratios: number[]) => {
    if (ratios.length === 0) return;
    const sorted = [...ratios].sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const least = sorted[0] ?? 0;
    out(
      `- ${name}: lowest ${least.toFixed(2)}, median ${median.toFixed(2)}; goal ${goal}: ${least >= goal ? 'met' : 'NOT met everywhere'}`,
    );
  };
  worst(
    'reads on SQLite against bare',
    goals.sqlite,
    reads.filter((c) => c.store === 'sqlite').map((c) => c.kennel.perSecond / c.bare.perSecond),
  );
  worst(
    'reads on PostgreSQL against bare with the same SQL',
    goals.postgres,
    reads.filter((c) => c.bareSql !== undefined).map((c) => c.kennel.perSecond / (c.bareSql?.perSecond ?? 1)),
  );
  const growth = reads
    .filter((cell) => cell.size === 'large')
    .flatMap((cell) => {
      const smaller = reads.find((other) => other.size === 'small' && isSame(other, cell));
      return smaller === undefined ? [] : [cell.kennel.perSecond / smaller.kennel.perSecond];
    });
  worst('reads at the large store against the small one', goals.large, growth);
}

function isSame(a: Cell, b: Cell): boolean {
  return a.store === b.store && a.operation === b.operation && a.connections === b.connections;
}
