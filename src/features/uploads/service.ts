import type { Caller, Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordAudit } from '../audit/index.ts';
import { jobStatus, statusWords } from '../jobs/index.ts';
import { createSpool, listFiles, moveFiles, retryFailed, takeSpoolIds, tallyFiles } from '../spool/index.ts';
import { findUser } from '../users/index.ts';
import { canBecome, stateOf } from './states.ts';
import {
  findUpload,
  insertUpload,
  lockUpload,
  type UploadChange,
  type UploadRow,
  updateUpload,
} from './store.ts';

/** A person's upload, or the command line's. */
export function startUpload(deps: Deps, db: Db, origin: Origin): Promise<UploadRow> {
  const { actor } = origin;
  if (actor.kind === 'client')
    throw new AppError('forbidden', 'uploads are for people: a collector sends to /api/v2/ingest');
  return db.transaction(async (db) => {
    const now = deps.clock();
    const user = actor.kind === 'user' ? await findUser(db, actor.id) : undefined;
    const upload = await insertUpload(db, {
      user_id: actor.kind === 'user' ? actor.id : null,
      user_name: actor.name,
      user_email_address: user?.email_address ?? null,
      status: jobStatus.running,
      status_message: statusWords[jobStatus.running],
      start_time: now,
      end_time: null,
      last_ingest: null,
      total_files: 0,
      failed_files: 0,
      partial_failed_files: 0,
      created_at: now,
      updated_at: now,
    });
    await recordAudit(db, origin, now, { action: 'StartUpload', fields: { upload_id: upload.id } });
    return upload;
  });
}

/** An upload is its user's, and of whoever may change the graph. */
export function checkMayChange(caller: Caller, upload: UploadRow): void {
  if (caller.id === upload.user_id || caller.permissions.has('graphdb.Write')) return;
  throw new AppError(
    'forbidden',
    `upload ${upload.id} was started by somebody else: this needs the permission graphdb.Write`,
  );
}

export async function getUpload(db: Db, id: bigint): Promise<UploadRow> {
  const upload = await findUpload(db, id);
  if (upload === undefined) throw noSuchUpload(id);
  return upload;
}

function noSuchUpload(id: bigint | number): AppError {
  return new AppError('not_found', `upload ${id} does not exist`, { context: 'file_upload_job_id' });
}

/** The upload, for a change by this caller; without one it is the command line, which may do everything. */
export async function lockForChange(
  db: Transaction,
  id: bigint | number,
  caller: Caller | undefined,
): Promise<UploadRow> {
  const upload = await lockUpload(db, id);
  if (upload === undefined) throw noSuchUpload(id);
  if (caller !== undefined) checkMayChange(caller, upload);
  return upload;
}

/** From now on its files are read. Without any it is complete. */
export function endUpload(
  deps: Deps,
  db: Db,
  caller: Caller | undefined,
  origin: Origin,
  id: bigint | number,
): Promise<UploadRow> {
  return db.transaction(async (db) => {
    const upload = await lockForChange(db, id, caller);
    if (upload.status !== jobStatus.running)
      throw new AppError('bad_request', 'job must be in running status to end', {
        context: 'file_upload_job_id',
      });
    const now = deps.clock();
    const files = await moveFiles(db, { uploadId: upload.id }, 'arrived', 'waiting', now);
    const change: UploadChange =
      files === 0
        ? { status: jobStatus.complete, status_message: 'Complete: no file was uploaded', end_time: now }
        : { status: jobStatus.ingesting, status_message: statusWords[jobStatus.ingesting] };
    return changeUpload(db, origin, 'EndUpload', upload, change, now);
  });
}

/** Nothing more of it is read, and the file that is being read leaves nothing. */
export async function cancelUpload(
  deps: Deps,
  db: Db,
  caller: Caller | undefined,
  origin: Origin,
  id: bigint | number,
): Promise<void> {
  const unwanted = await db.transaction(async (db) => {
    const upload = await lockForChange(db, id, caller);
    if (upload.status === jobStatus.canceled) return [];
    if (!canBecome(upload, jobStatus.canceled))
      throw new AppError('conflict', `upload ${id} is ${stateOf(upload)} and can't become canceled`);
    const now = deps.clock();
    const message = `Canceled by ${origin.actor.name}`;
    const change = { status: jobStatus.canceled, status_message: message, end_time: now };
    await changeUpload(db, origin, 'CancelUpload', upload, change, now);
    return dropFiles(db, upload.id, now);
  });
  await removeBytes(deps, unwanted);
}

/** Gives the names of bytes that nobody wants any more. Its reader removes those of a file under way. */
export async function dropFiles(db: Transaction, uploadId: number, now: number): Promise<string[]> {
  for (const state of ['arrived', 'waiting'] as const)
    await moveFiles(db, { uploadId }, state, 'canceled', now);
  const unwanted = await takeSpoolIds(db, "upload_id = $1 and state = 'canceled'", [uploadId]);
  await moveFiles(db, { uploadId }, 'reading', 'canceled', now);
  return unwanted;
}

/** After the commit; what stays behind is swept away later. */
export async function removeBytes(deps: Deps, spoolIds: readonly string[]): Promise<void> {
  const spool = createSpool(deps);
  for (const id of spoolIds) {
    await spool.remove(id).catch((error: unknown) => {
      deps.log.warn({ err: error, spool_id: id }, 'the bytes of a file could not be removed: a sweep will');
    });
  }
}

/** Reads again what failed, where the bytes are still there. */
export function retryUpload(
  deps: Deps,
  db: Db,
  caller: Caller | undefined,
  origin: Origin,
  id: bigint,
): Promise<UploadRow> {
  return db.transaction(async (db) => {
    const upload = await lockForChange(db, id, caller);
    if (!canBecome(upload, jobStatus.ingesting) || upload.status === jobStatus.running)
      throw new AppError(
        'conflict',
        `upload ${id} is ${stateOf(upload)}: only what failed can be read again`,
      );
    const now = deps.clock();
    const files = await retryFailed(db, upload.id, now);
    if (files === 0) {
      const names = (await listFiles(db, { uploadId: upload.id }))
        .filter(({ state }) => state === 'failed')
        .map(({ name }) => name);
      throw new AppError(
        'conflict',
        `the bytes of ${names.slice(0, 10).join(', ')} are no longer kept: upload the file again`,
      );
    }
    const change = {
      status: jobStatus.ingesting,
      status_message: statusWords[jobStatus.ingesting],
      end_time: null,
    };
    return changeUpload(db, origin, 'RetryUpload', upload, change, now, { files });
  });
}

/** The change, with its counts as they are now and its audit record. */
export async function changeUpload(
  db: Transaction,
  origin: Origin,
  action: string,
  upload: UploadRow,
  change: UploadChange,
  now: number,
  more: Record<string, unknown> = {},
): Promise<UploadRow> {
  const { total, failed, partial } = await tallyFiles(db, { uploadId: upload.id });
  const after = await updateUpload(
    db,
    upload,
    { ...change, total_files: total, failed_files: failed, partial_failed_files: partial },
    now,
  );
  await recordAudit(db, origin, now, {
    action,
    fields: {
      upload_id: upload.id,
      ...more,
      before: { status: upload.status, status_message: upload.status_message },
      after: { status: after.status, status_message: after.status_message },
    },
  });
  return after;
}
