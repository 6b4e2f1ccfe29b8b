import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { clearTask, findOpenClear } from '../features/data-pipe/index.ts';
import { isOver, jobStatus } from '../features/jobs/index.ts';
import { OwnReader, readNext, settle } from '../features/reading/index.ts';
import {
  createSpool,
  hasOpenFiles,
  isSomethingRead,
  listFiles,
  listResults,
} from '../features/spool/index.ts';
import {
  cancelUpload,
  endUpload,
  findUpload,
  keepFile,
  startUpload,
  toTaskView,
  type UploadRow,
} from '../features/uploads/index.ts';
import { analyseUntil } from './analyse-here.ts';
import { bytesOf, type GivenFile, type Ingested } from './ingest-files.ts';
import { CommandError, tell } from './output.ts';
import { PercentLine, type ProgressLine } from './progress.ts';
import { isServed } from './served.ts';

const lookEveryMs = 300;
/** A server takes a file within a second or two; one that leaves the reading to others never does. */
const patienceMs = 10_000;

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
      if (isServed(deps.settings)) {
        if (!wait) return await told(deps, id, false);
        while (!(await follow(deps, id, progress, () => isCanceled))) {
          if ((await findOpenClear(deps.graph)) !== undefined) continue;
          tell('the server reads no files (KENNEL_READ_FILES): they are read here');
          await readHere(deps, reader, id, progress, () => isCanceled);
        }
      } else await readHere(deps, reader, id, progress, () => isCanceled);
      const isAnalysedElsewhere = isServed(deps.settings);
      // Without a server, and told to leave it: the next one that analyses does it.
      if (isAnalysedElsewhere || deps.settings.analyze)
        await analyseUntil(deps, new PercentLine(progress.isShown), {
          isServed: isAnalysedElsewhere,
          isDone: async () => isOver((await getUpload(deps.db, id)).status),
          isCanceled: () => isCanceled,
        });
    }
    const { status } = await getUpload(deps.db, id);
    if (isCanceled && status === jobStatus.analyzing)
      throw new CommandError(`stopped: upload ${id} is read, and complete with the next analysis`);
    if (isCanceled && !isOver(status)) {
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
    await keepFile(
      db,
      { id, caller: undefined, origin: commandLine, kind, received, name, contentType: undefined },
      clock(),
    );
  });
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
    // On PostgreSQL others take part; what they leave undone is taken up here again.
    do {
      await finishClears(deps, isCanceled);
      while (!isCanceled() && (await readNext(deps, reader, name, watch)));
      await settle(deps);
    } while (!(await follow(deps, uploadId, progress, isCanceled)));
  } finally {
    await reader.close();
  }
}

/** Nothing is read before a deletion is over, and without a server nobody else goes on with it. */
async function finishClears(deps: Deps, isCanceled: () => boolean): Promise<void> {
  while (!isCanceled() && (await findOpenClear(deps.graph)) !== undefined) await clearTask.run(deps);
}

/** Until all of the upload is read, whoever does it: false when its files wait and nobody reads any. */
async function follow(
  { db, clock }: Deps,
  id: number,
  progress: ProgressLine,
  isCanceled: () => boolean,
): Promise<boolean> {
  let shown = 0;
  let lastRead = performance.now();
  while (!isCanceled() && !isRead(await getUpload(db, id))) {
    if ((await isSomethingRead(db, clock())) || !(await hasOpenFiles(db, { uploadId: id })))
      lastRead = performance.now();
    else if (performance.now() - lastRead > patienceMs) return false;
    const file = (await listFiles(db, { uploadId: id })).find(({ state }) => state === 'reading');
    if (file !== undefined && file.id !== shown) {
      progress.start(`reading ${file.name}`, file.unpacked_bytes);
      shown = file.id;
    }
    if (file !== undefined) progress.update(file.read_bytes, file.read_records);
    await sleep(lookEveryMs);
  }
  return true;
}

function isRead({ status }: UploadRow): boolean {
  return isOver(status) || status === jobStatus.analyzing;
}

async function told({ db }: Deps, id: number, isRead: boolean): Promise<Ingested> {
  const { status, status_message: message } = await getUpload(db, id);
  const files = isRead
    ? (await listResults(db, { uploadId: id })).map((row) => toTaskView(row, id))
    : undefined;
  return { uploadId: id, status, message, files };
}

async function getUpload(db: Deps['db'], id: number): Promise<UploadRow> {
  const upload = await findUpload(db, id);
  if (upload === undefined) throw new CommandError(`upload ${id} was deleted meanwhile`);
  return upload;
}
