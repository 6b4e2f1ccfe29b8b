import { cpus, loadavg } from 'node:os';
import type { Cost, MeasuredEstate } from './posture-estate.ts';
import type { MeasuredHistory } from './posture-history.ts';

const goals = { objects: 500_000, measureSeconds: 60, megabytes: 1500, historyRatio: 0.9 };

const out = (line: string) => process.stdout.write(`${line}\n`);

/** Markdown, ready for docs/performance.md. */
export function printPosture(
  estates: readonly { readonly objects: number; readonly measured: MeasuredEstate }[],
): void {
  if (estates.length === 0) return;
  const [load = 0] = loadavg();
  out(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), load ${load.toFixed(0)}\n`,
  );
  out(
    '| Objects | Edges to move along | Findings | Load s | Derive s (CPU) | Measure s (CPU) | µs per edge | Resident MB | Peak MB |',
  );
  out(`|${'---:|'.repeat(9)}`);
  const both = ({ seconds, cpuSeconds }: Cost) => `${seconds.toFixed(1)} (${cpuSeconds.toFixed(1)})`;
  for (const { objects, measured } of estates) {
    const { steps, findings, load, derive, measure, residentMb, peakMb } = measured;
    const perEdge = ((measure.seconds * 1e6) / Math.max(steps, 1)).toFixed(2);
    const costs = [load.seconds.toFixed(1), both(derive), both(measure), perEdge];
    out(`| ${[objects, steps, findings, ...costs, residentMb, peakMb].join(' | ')} |`);
  }
  out('');
  for (const { objects, measured } of estates.filter(({ objects }) => objects === goals.objects)) {
    const { seconds } = measured.measure;
    const name = `${objects} objects`;
    tell(
      `${name}: ${seconds.toFixed(1)} s to measure`,
      `below ${goals.measureSeconds} s`,
      seconds < goals.measureSeconds,
    );
    const { peakMb } = measured;
    tell(`${name}: ${peakMb} MB`, `below ${goals.megabytes} MB`, peakMb < goals.megabytes);
  }
}

export function printHistories(histories: readonly MeasuredHistory[]): void {
  for (const { store, years, oneYearMs, manyYearsMs } of histories) {
    const ratio = oneYearMs / manyYearsMs;
    const times = `${manyYearsMs.toFixed(2)} ms beside ${years} years, ${oneYearMs.toFixed(2)} ms beside one`;
    tell(
      `${store}, 30 days of all six series: ${times}, ratio ${ratio.toFixed(2)}`,
      `at least ${goals.historyRatio}`,
      ratio >= goals.historyRatio,
    );
  }
}

function tell(found: string, goal: string, isMet: boolean): void {
  out(`- ${found}; goal ${goal}: ${isMet ? 'met' : 'NOT met'}`);
}
