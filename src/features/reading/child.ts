import { openStores, type Stores } from '../../db/open.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { createLog } from '../../log.ts';
import { createSpool } from '../ingest/index.ts';
import type { FromReader, ToReader } from './messages.ts';
import { readFile } from './read-file.ts';
import { lockReading } from './reader.ts';

const progressEveryMs = 200;
const poolSize = 3;

/** The whole life of a reading process: it does what its server says, and ends with it. */
export function runReader(): void {
  let isStopped = false;
  let work: ((message: Extract<ToReader, { type: 'read' }>) => Promise<FromReader>) | undefined;

  // A terminal or a supervisor signals the whole group; the server decides.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  // Whatever is under way is not committed: the graph stays as it was.
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: ToReader) => {
    if (message.type === 'stop') isStopped = true;
    else if (message.type === 'open') {
      start(message, () => isStopped).then(
        (opened) => {
          work = opened;
          tell({ type: 'ready' });
        },
        (error: unknown) => {
          process.stderr.write(`kennel: the reader could not start: ${String(error)}\n`);
          process.exit(1);
        },
      );
    } else {
      isStopped = false;
      work?.(message).then(tell);
    }
  });
}

async function start(
  { settings, limits }: Extract<ToReader, { type: 'open' }>,
  isStopped: () => boolean,
): Promise<(message: Extract<ToReader, { type: 'read' }>) => Promise<FromReader>> {
  await lockReading(settings);
  const log = createLog(settings);
  const stores: Stores = openStores({ ...settings, databasePool: Math.min(settings.databasePool, poolSize) });
  const spool = createSpool({ db: stores.db, settings, clock: Date.now });
  return async ({ file }) => {
    let toldAt = 0;
    const onProgress = (progress: Progress) => {
      const now = performance.now();
      if (now - toldAt < progressEveryMs) return;
      toldAt = now;
      tell({ type: 'progress', bytes: progress.bytes, records: progress.records });
    };
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

function tell(message: FromReader): void {
  if (process.connected) process.send?.(message);
}
