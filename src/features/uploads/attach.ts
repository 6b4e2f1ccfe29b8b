import type { Caller, Origin } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Upload } from '../../http/operation.ts';
import { cleanText, hasHiddenCharacters } from '../../values/text.ts';
import { recordAudit } from '../audit/index.ts';
import { jobStatus } from '../jobs/index.ts';
import { type Intake, insertIngestFile, type Received } from '../spool/index.ts';
import { checkMayChange, getUpload, lockForChange } from './service.ts';
import { type UploadRow, updateUpload } from './store.ts';

export const acceptedTypes = [
  'application/json',
  'application/zip',
  'application/x-zip-compressed',
  'application/zip-compressed',
];
const maxNameLength = 255;

/** Keeps one file of a running upload, or changes nothing at all. */
export async function attachFile(
  { db }: Deps,
  intake: Intake,
  caller: Caller,
  id: bigint,
  origin: Origin,
  upload: Upload,
): Promise<void> {
  let kind: 'json' | 'zip' = 'json';
  await intake({
    sender: { id: caller.id, address: origin.address, kind: 'user', standing: upload.standing },
    upload,
    prepare: async () => {
      const found = await getUpload(db, id);
      checkMayChange(caller, found);
      checkRunning(found);
      kind = kindOf(upload.contentType);
      checkName(upload.fileName);
      return kind;
    },
    keep: (db, received, now) =>
      keepFile(
        db,
        { id, caller, origin, kind, received, name: upload.fileName, contentType: upload.contentType },
        now,
      ),
  });
}

interface ArrivedFile {
  readonly id: bigint | number;
  /** Left out: the command line. */
  readonly caller: Caller | undefined;
  readonly origin: Origin;
  readonly kind: 'json' | 'zip';
  readonly received: Received;
  readonly name: string | undefined;
  readonly contentType: string | undefined;
}

/** In the transaction that makes the bytes count. */
export async function keepFile(db: Transaction, file: ArrivedFile, now: number): Promise<boolean> {
  const { received, contentType } = file;
  const found = await lockForChange(db, file.id, file.caller);
  checkRunning(found);
  const name = cleanText(file.name?.trim() || `file ${found.total_files + 1}.${file.kind}`);
  await insertIngestFile(db, { uploadId: found.id, name, contentType, state: 'arrived', received }, now);
  await recordAudit(db, file.origin, now, {
    action: 'AddFileToUpload',
    fields: { upload_id: found.id, name, bytes: received.written.bytes },
  });
  await updateUpload(db, found, { last_ingest: now, total_files: found.total_files + 1 }, now);
  return true;
}

function checkRunning(upload: UploadRow): void {
  if (upload.status === jobStatus.running) return;
  throw new AppError('bad_request', 'job must be in running status to attach files', {
    context: 'file_upload_job_id',
  });
}

function kindOf(contentType: string | undefined): 'json' | 'zip' {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (acceptedTypes.includes(type)) return type === 'application/json' ? 'json' : 'zip';
  throw new AppError('bad_request', `the Content-Type must be one of ${acceptedTypes.join(', ')}`, {
    context: 'Content-Type',
  });
}

function checkName(name: string | undefined): void {
  if (name === undefined || (name.length <= maxNameLength && !hasHiddenCharacters(name))) return;
  throw new AppError(
    'bad_request',
    `the name of a file has at most ${maxNameLength} characters, and no control characters`,
    { context: 'X-File-Upload-Name' },
  );
}
