import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from '../caller.ts';
import { LockedError, lockDataDir } from '../db/server-lock.ts';
import type { Deps } from '../deps.ts';
import { createSpool, listFiles, listResults } from '../features/ingest/index.ts';
import { isOver } from '../features/jobs/index.ts';
import { OwnReader, readNext, settle } from '../features/reading/index.ts';
import {
  cancelUpload,
  endUpload,
  findUpload,
  keepFile,
  startUpload,
  toTaskView,
  type UploadRow,
} from '../features/uploads/index.ts';
import { bytesOf, type GivenFile, type Ingested } from './ingest-files.ts';
import { CommandError } from './output.ts';
import type { ProgressLine } from './progress.ts';

const lookEveryMs = 300;

/** Takes the files into the store, and reads them here unless a server is there to do it. */
export async function ingestLocally(
  deps: Deps,
  files: readonly GivenFile[],
  progress: ProgressLine,
  wait: boolean,
): Promise<Ingested> {
  const { id } = await startUpload(deps, deps.db, commandLine);
  const reader = new OwnReader(deps);
  let isCanceled = false;
  const cancel = () => {
    isCanceled = true;
    reader.stop();
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
  try {
    for (const file of files) {
      if (!isCanceled) await keep(deps, id, file, progress);
    }
    if (!isCanceled) {
      await endUpload(deps, deps.db, undefined, commandLine, id);
      if (isServed(deps)) {
        if (!wait) return await told(deps, id, false);
        await follow(deps, id, progress, () => isCanceled);
      } else await readHere(deps, reader, id, progress, () => isCanceled);
    }
    if (isCanceled) {
      await cancelUpload(deps, deps.db, undefined, commandLine, id);
      throw new CommandError(`upload ${id} was canceled`);
    }
    return await told(deps, id, true);
  } catch (error) {
    const upload = await findUpload(deps.db, id);
    // Files that can't all be taken in are not taken in at all.
    if (upload?.status === 1) await cancelUpload(deps, deps.db, undefined, commandLine, id);
    throw error;
  } finally {
    progress.stop();
    process.off('SIGINT', cancel).off('SIGTERM', cancel);
  }
}

async function keep(deps: Deps, id: number, file: GivenFile, progress: ProgressLine): Promise<void> {
  const { db, clock } = deps;
  const spool = createSpool(deps);
  progress.start(`taking in ${file.name}`, file.size);
  const written = await spool.write(bytesOf(file, (bytes) => progress.update(bytes)));
  progress.stop();
  const received = { written, sha256: '', encoding: 'identity', unpackedBytes: written.bytes } as const;
  const { name, kind } = file;
  await db.transaction(async (db) => {
    await spool.hold(db, written);
    await keepFile(db, { id, caller: undefined, kind, received, name, contentType: undefined }, clock());
  });
}

/** Only the embedded store has one server at most; on PostgreSQL everyone takes part in reading. */
function isServed({ settings }: Deps): boolean {
  if (settings.databaseUrl !== undefined) return false;
  try {
    lockDataDir(settings.dataDir, '').release();
    return false;
  } catch (error) {
    if (error instanceof LockedError) return true;
    throw error;
  }
}

async function readHere(
  deps: Deps,
  reader: OwnReader,
  uploadId: number,
  progress: ProgressLine,
  isCanceled: () => boolean,
): Promise<void> {
  const name = randomUUID();
  try {
    const watch = {
      uploadId,
      onStart: (file: { name: string; unpacked_bytes: number }) =>
        progress.start(`reading ${file.name}`, file.unpacked_bytes),
      onProgress: (_: unknown, { bytes, records }: { bytes: number; records: number }) =>
        progress.update(bytes, records),
      onEnd: () => progress.stop(),
    };
    while (!isCanceled() && (await readNext(deps, reader, name, watch)));
  } finally {
    await reader.close();
  }
  await settle(deps);
  await follow(deps, uploadId, progress, isCanceled);
}

/** Until the upload is over, whoever reads it. */
async function follow(
  { db }: Deps,
  id: number,
  progress: ProgressLine,
  isCanceled: () => boolean,
): Promise<void> {
  let shown = 0;
  while (!isCanceled() && !isOver((await getUpload(db, id)).status)) {
    const file = (await listFiles(db, { uploadId: id })).find(({ state }) => state === 'reading');
    if (file !== undefined && file.id !== shown) {
      progress.start(`reading ${file.name}`, file.unpacked_bytes);
      shown = file.id;
    }
    if (file !== undefined) progress.update(file.read_bytes, file.read_records);
    await sleep(lookEveryMs);
  }
}

async function told({ db }: Deps, id: number, isRead: boolean): Promise<Ingested> {
  const { status, status_message: message } = await getUpload(db, id);
  const files = isRead ? (await listResults(db, { uploadId: id })).map(toTaskView) : undefined;
  return { uploadId: id, status, message, files };
}

async function getUpload(db: Deps['db'], id: number): Promise<UploadRow> {
  const upload = await findUpload(db, id);
  if (upload === undefined) throw new CommandError(`upload ${id} was deleted meanwhile`);
  return upload;
}
