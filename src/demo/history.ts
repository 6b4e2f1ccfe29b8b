import { randomUUID } from 'node:crypto';
import { serverItself } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { analyseNext, askFor, OwnAnalyst } from '../features/analysis/index.ts';
import { expiryTask } from '../features/reading/index.ts';
import { sweepAnalyses } from '../graph/analysis/store.ts';
import { defaultIngestLimits, ingestFile } from '../graph/ingest/ingest-file.ts';
import { day, hour } from '../values/time.ts';
import { type CollectedObjects, collectionOf, fileOf } from './estate/collection.ts';
import { historyDays } from './estate/story.ts';

const daysBetween = 2;
/** Less than what is not seen again is kept for. */
const toldAgainAfter = 6 * day;

export interface DemoProgress {
  readonly stage: string;
  readonly percent: number;
}

export interface CollectionTime {
  /** Of the story. */
  readonly day: number;
  readonly at: number;
}

/** The days on which collectors ran, and when. The last one is today. */
export function collectionTimes(now: number): CollectionTime[] {
  const today = Math.floor(now / day) * day;
  const times: CollectionTime[] = [];
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
export async function relive(
  deps: Deps,
  times: readonly CollectionTime[],
  tell: (progress: DemoProgress) => void,
): Promise<void> {
  let now = deps.clock();
  const past: Deps = { ...deps, clock: () => now };
  const analyst = new OwnAnalyst(past);
  const runner = randomUUID();
  const news = new News();
  try {
    for (const [index, { day: number, at }] of times.entries()) {
      const date = new Date(at).toISOString().slice(0, 10);
      const percent = (part: number) => Math.floor((100 * (index + part)) / times.length);
      tell({ stage: `${date} reading  `, percent: percent(0) });
      now = at;
      for (const objects of collectionOf(number, at)) {
        const name = `${objects.type}.json`;
        const found = news.of(objects, at);
        if (found.length > 0) await ingest(past, `demo-${number}-${name}`, name, fileOf(objects.type, found));
      }
      await expiryTask.run(past);
      now = at + 30_000;
      tell({ stage: `${date} analysing`, percent: percent(0.6) });
      await past.db.transaction((db) => askFor(db, serverItself, 'ingest', now));
      if (!(await analyseNext(past, analyst, runner))) throw new Error(`the analysis of ${date} failed`);
      while (await sweepAnalyses(past.graph));
    }
  } finally {
    await analyst.close();
  }
}

/**
 * Leaves out objects that are as they were, so that a day takes no longer than it must. What is only added up is told
 * again in time, before it would be taken for gone.
 */
class News {
  readonly #told = new Map<string, { readonly text: string; readonly at: number }>();

  of({ data }: CollectedObjects, at: number): string[] {
    return data.flatMap((object) => {
      const text = JSON.stringify(object);
      // Items of the cloud have no common name for their id, and only add.
      const key = 'ObjectIdentifier' in object ? String(object.ObjectIdentifier) : text;
      const before = this.#told.get(key);
      if (before?.text === text && at - before.at < toldAgainAfter) return [];
      this.#told.set(key, { text, at });
      return [text];
    });
  }
}

async function ingest({ graph, clock }: Deps, fileId: string, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const results = await ingestFile(
    graph,
    {
      name,
      size: bytes.length,
      open: async function* () {
        yield bytes;
      },
    },
    { fileId, seenAt: clock(), limits: defaultIngestLimits },
  );
  for (const { outcome, errors } of results)
    if (outcome !== 'complete') throw new Error(`${name} was not read: ${errors.join('; ')}`);
}
