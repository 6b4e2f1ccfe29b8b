import type { DataType, NewPosturePoint } from '../features/posture/index.ts';
import { hygieneTag, tierZeroTag } from '../features/zones/index.ts';
import { day } from '../values/time.ts';
import { environments } from './estate.ts';

const historyDays = 90;

export interface DemoRun {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly points: NewPosturePoint[];
}

/** Ninety days of one analysis a night, told backwards from today: things get better, with a setback in between. */
export function demoRuns(now: number): DemoRun[] {
  const today = Math.floor(now / day) * day;
  const runs: DemoRun[] = [];
  for (let age = historyDays; age >= 0; age -= 1) {
    // Tonight's run may still lie ahead; then the last one was an hour ago, but never on a day of its own twice.
    const finishedAt = Math.min(today - age * day + 2 * 3_600_000 + 10 * 60_000, now - 60_000);
    if (finishedAt < today - age * day) continue;
    runs.push({ startedAt: finishedAt - 55_000, finishedAt, points: pointsOf(historyDays - age) });
  }
  return runs;
}

function pointsOf(dayNumber: number): NewPosturePoint[] {
  return environments.flatMap(({ id, kind }, index) => {
    const principals = [4200, 900, 1500][index] ?? 0;
    const exposed = Math.round(
      principals * (0.62 - 0.0035 * dayNumber + setback(dayNumber) + wave(dayNumber, index)),
    );
    const findings = Math.round(
      140 - 0.9 * dayNumber + 400 * setback(dayNumber) + 8 * wave(dayNumber * 3, index) * 10,
    );
    const point = (
      dataType: DataType,
      tagId: number,
      numerator: number,
      denominator = 1,
    ): NewPosturePoint => ({
      dataType,
      tagId,
      environmentId: id,
      numerator: Math.max(0, numerator),
      denominator,
    });
    const completeness =
      kind === 'Domain'
        ? [
            point('session-completeness', hygieneTag, Math.round(600 * (0.55 + 0.004 * dayNumber)), 600),
            point('group-completeness', hygieneTag, Math.round(600 * (0.7 + 0.003 * dayNumber)), 600),
          ]
        : [];
    return [
      point('findings', tierZeroTag, findings),
      point('findings', hygieneTag, Math.round(60 - 0.3 * dayNumber)),
      point('exposure', tierZeroTag, Math.min(exposed, principals), principals),
      point('assets', tierZeroTag, 240 + index * 15 + Math.floor(dayNumber / 12)),
      point('attack-paths', tierZeroTag, findings * 45),
      point('attack-paths', hygieneTag, Math.round(900 - 4 * dayNumber)),
      ...completeness,
    ];
  });
}

/** Around day 40 somebody opened a door; it took two weeks to close it. */
function setback(dayNumber: number): number {
  return Math.max(0, 0.12 - Math.abs(dayNumber - 45) * 0.012);
}

function wave(dayNumber: number, index: number): number {
  return 0.015 * Math.sin(dayNumber / 4 + index * 2);
}
