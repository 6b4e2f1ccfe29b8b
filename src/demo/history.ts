import { randomUUID } from 'node:crypto';
import { serverItself } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { analyseNext, askFor, OwnAnalyst } from '../features/analysis/index.ts';
import { expiryTask } from '../features/reading/index.ts';
import { sweepAnalyses } from '../graph/analysis/store.ts';
import { defaultIngestLimits, ingestFile } from '../graph/ingest/ingest-file.ts';
import { day } from '../values/time.ts';
import { type CollectedFile, collectionOf } from './estate/collection.ts';
import { historyDays } from './estate/story.ts';

const hour = 3_600_000;
const daysBetween = 2;

export interface DemoProgress {
  readonly stage: string;
  readonly percent: number;
}

/** The days on which collectors ran, and when. The last one is today. */
export function collectionTimes(now: number): { day: number; at: number }[] {
  const today = Math.floor(now / day) * day;
  const times: { day: number; at: number }[] = [];
  for (let number = 0; number <= historyDays; number += daysBetween) {
    const midnight = today - (historyDays - number) * day;
    // Tonight's may still lie ahead.
    times.push({ day: number, at: Math.min(midnight + 2 * hour, now - 2 * 60_000) });
  }
  return times;
}

/**
 * Lives through the days: files of collectors are read, what was not seen again goes, and the graph is analysed, each
 * by the code that a server uses, at the time when it would have been.
 */
export async function relive(deps: Deps, tell: (progress: DemoProgress) => void): Promise<void> {
  let now = deps.clock();
  const past: Deps = { ...deps, clock: () => now };
  const times = collectionTimes(now);
  const analyst = new OwnAnalyst(past);
  const runner = randomUUID();
  try {
    for (const [index, { day, at }] of times.entries()) {
      const date = new Date(at).toISOString().slice(0, 10);
      const percent = (part: number) => Math.floor((100 * (index + part)) / times.length);
      tell({ stage: `${date}: reading what collectors found`, percent: percent(0) });
      now = at;
      for (const [number, file] of collectionOf(day, at).entries())
        await ingest(past, `demo-${day}-${number}`, file);
      await expiryTask.run(past);
      now = at + 30_000;
      tell({ stage: `${date}: analysing`, percent: percent(0.6) });
      await past.db.transaction((db) => askFor(db, serverItself, 'ingest', now));
      if (!(await analyseNext(past, analyst, runner))) throw new Error(`the analysis of ${date} failed`);
      while (await sweepAnalyses(past.graph));
    }
  } finally {
    await analyst.close();
  }
}

async function ingest({ graph, clock }: Deps, fileId: string, file: CollectedFile): Promise<void> {
  const bytes = Buffer.from(file.text);
  const results = await ingestFile(
    graph,
    {
      name: file.name,
      size: bytes.length,
      open: async function* () {
        yield bytes;
      },
    },
    { fileId, seenAt: clock(), limits: defaultIngestLimits },
  );
  for (const { outcome, errors } of results)
    if (outcome !== 'complete') throw new Error(`${file.name} was not read: ${errors.join('; ')}`);
}
