import { openStores, type Stores } from '../../db/open.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { createLog } from '../../log.ts';
import { nowAndThen, serveParent, tellParent } from '../../worker/serve-parent.ts';
import { createSpool } from '../spool/index.ts';
import type { FromReader, ToReader } from './messages.ts';
import { readFile } from './read-file.ts';
import { lockReading } from './reader.ts';

const progressEveryMs = 200;
const poolSize = 3;

type Open = Extract<ToReader, { type: 'open' }>;
type Read = Extract<ToReader, { type: 'read' }>;

// A server starts this file in a process of its own: see `ChildReader`.
serveParent<Open, Read, FromReader>('the reader', start);

async function start(
  { settings, limits }: Open,
  isStopped: () => boolean,
): Promise<(message: Read) => Promise<FromReader>> {
  await lockReading(settings);
  const log = createLog(settings);
  const stores: Stores = openStores({ ...settings, databasePool: Math.min(settings.databasePool, poolSize) });
  const spool = createSpool({ db: stores.db, settings, clock: Date.now });
  return async ({ file }) => {
    const onProgress = nowAndThen(progressEveryMs, ({ bytes, records }: Progress) =>
      tellParent({ type: 'progress', bytes, records } as FromReader),
    );
    try {
      const outcome = await readFile(stores.graph, spool, file, limits, { onProgress, isStopped });
      return outcome.kind === 'read'
        ? { type: 'read', results: outcome.results }
        : outcome.kind === 'stopped'
          ? { type: 'stopped', results: outcome.results }
          : { type: outcome.kind, reason: outcome.reason };
    } catch (error) {
      log.error({ err: error, file_id: file.id }, 'reading a file failed');
      return { type: 'broken', reason: 'an internal error, which is in the log' };
    }
  };
}
