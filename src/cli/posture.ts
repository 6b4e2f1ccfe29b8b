import type { Command } from 'commander';
import type { Db, Reader } from '../db/client.ts';
import {
  type DataType,
  dataTypes,
  listMeasured,
  type MeasuredEnvironment,
  percentTypes,
  readHistory,
} from '../features/posture/index.ts';
import { day, formatRfc3339 } from '../values/time.ts';
import { CommandError, exitCodes, printResult } from './output.ts';
import { commandSettings, printsUtf8, withSettings } from './settings.ts';
import { sparkline } from './sparkline.ts';
import { withStore } from './store.ts';

interface Options {
  readonly environment?: string;
  readonly days: string;
  readonly tag?: string;
  readonly json?: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Series {
  readonly dataType: DataType;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

const maxDays = 36_500;
const maxTag = 2_147_483_647;

export function define(command: Command): void {
  command
    .option('--environment <id or name>', 'only this one')
    .option('--days <number>', 'how many days back', '30')
    .option('--tag <id>', 'only this asset group tag: 0 is Hygiene, 1 is Tier Zero')
    .option('--json', 'print one JSON line');
  withSettings(command).action(async (options: Options) => {
    const days = wholeNumber('--days', options.days, 1, maxDays);
    const tagId = options.tag === undefined ? undefined : wholeNumber('--tag', options.tag, 0, maxTag);
    await withStore(commandSettings(command), async ({ graph, clock }) => {
      // What is published this very moment counts.
      const end = clock() + 1;
      const range = { start: end - days * day, end };
      const measured = await measure(graph, range, options.environment, tagId);
      printResult(
        { ...timesOf(range), environments: measured.map(toJson) },
        measured.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...toLines(one, days)]),
        options.json,
      );
    });
  });
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new CommandError(
    `${flag} must be a whole number from ${least} to ${most}, but is ${JSON.stringify(text)}`,
    exitCodes.usage,
  );
}

interface Measured {
  readonly environment: MeasuredEnvironment;
  readonly series: readonly Series[];
}

function measure(
  graph: Db,
  range: Range,
  sought: string | undefined,
  tagId: number | undefined,
): Promise<Measured[]> {
  return graph.slowly(async (graph) => {
    const environments = await choose(graph, range, sought);
    const measured: Measured[] = [];
    for (const environment of environments) {
      const series: Series[] = [];
      for (const dataType of dataTypes) {
        const query = { ...range, dataType, environments: [environment.id], tagId };
        series.push({ dataType, points: await readHistory(graph, query) });
      }
      measured.push({ environment, series });
    }
    return measured;
  });
}

async function choose(
  graph: Reader,
  { start, end }: Range,
  sought: string | undefined,
): Promise<MeasuredEnvironment[]> {
  const known = await listMeasured(graph, start, end);
  if (known.length === 0)
    throw new CommandError(
      `no analysis has measured anything since ${formatRfc3339(start)}: run \`kennel analyze\`, or ask for more --days`,
    );
  if (sought === undefined) return known;
  const key = sought.toUpperCase();
  const byId = known.filter(({ id }) => id === key);
  const found = byId.length > 0 ? byId : known.filter(({ name }) => name.toUpperCase() === key);
  if (found.length > 0) return found;
  const choice = known.slice(0, 10).map(({ id, name }) => name || id);
  throw new CommandError(
    `no environment ${sought} was measured: there is ${choice.join(', ')}${known.length > 10 ? ', …' : ''}`,
  );
}

function changeOf({ points }: Series): number | null {
  const [first, last] = [points[0], points.at(-1)];
  return first === undefined || last === undefined ? null : last.value - first.value;
}

function toJson({ environment, series }: Measured) {
  return {
    id: environment.id,
    name: environment.name,
    measures: series.map((one) => ({
      data_type: one.dataType,
      value: one.points.at(-1)?.value ?? null,
      change: changeOf(one),
      points: one.points.map(({ at, value }) => ({ date: formatRfc3339(at), value })),
    })),
  };
}

function timesOf({ start, end }: Range) {
  return { start: formatRfc3339(start), end: formatRfc3339(end) };
}

function toLines({ environment, series }: Measured, days: number): string[] {
  const isUnicode = printsUtf8();
  const { id, name } = environment;
  const title = `${name === '' ? id : `${name} (${id})`}, ${days === 1 ? 'the last day' : `the last ${days} days`}`;
  const lines = series.map((one) => {
    const percent = percentTypes.has(one.dataType) ? '%' : '';
    const last = one.points.at(-1);
    const label = `  ${one.dataType.padEnd(22)}`;
    if (last === undefined) return `${label}${'-'.padStart(9)}`;
    const change = changeOf(one) ?? 0;
    const sign = change > 0 ? '+' : '';
    const line = sparkline(
      one.points.map(({ value }) => value),
      isUnicode,
    );
    return `${label}${`${last.value}${percent}`.padStart(9)}  ${`${sign}${change}`.padStart(7)}  ${line}`;
  });
  return [title, ...lines];
}
