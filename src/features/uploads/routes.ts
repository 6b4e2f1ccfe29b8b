import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { readPage } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Empty, Int64Parameter, Struct } from '../../http/schemas.ts';
import { type Intake, listResults } from '../spool/index.ts';
import { acceptedTypes, attachFile } from './attach.ts';
import { CompletedTask, taskExample, toTaskView, toUploadView, UploadJob, uploadExample } from './schema.ts';
import { cancelUpload, endUpload, getUpload, retryUpload, startUpload } from './service.ts';
import { type UploadRow, uploadList } from './store.ts';

const tag = 'File upload';
const path = Struct({ file_upload_job_id: Int64Parameter() });
const manage = { permission: 'graphdb.IngestManage' } as const;
const read = { permission: 'graphdb.IngestRead' } as const;
const notFound = 'upload 7 does not exist';
const forbidden = 'upload 7 was started by somebody else: this needs the permission graphdb.Write';
const Count = Type.Integer({ minimum: 0 });

export function registerUploads(register: Register, deps: Deps, intake: Intake): void {
  registerReads(register);

  register({
    id: 'StartFileUpload',
    method: 'POST',
    url: '/api/v2/file-upload/start',
    tag,
    summary: 'Start an upload, to which files are then added',
    access: manage,
    rateLimited: false,
    status: 201,
    answer: Struct({ data: UploadJob }),
    answerExample: { data: uploadExample },
    errors: { forbidden: 'uploads are for people: a collector sends to /api/v2/ingest' },
    handle: async ({ db, origin }) => ({ data: toUploadView(await startUpload(deps, db, origin)) }),
  });

  register({
    id: 'AddFileToUpload',
    method: 'POST',
    url: '/api/v2/file-upload/{file_upload_job_id}',
    tag,
    summary: 'Add a file to an upload that is running',
    description:
      'One JSON file or zip archive, as its Content-Type says, perhaps compressed with gzip or deflate (Content-Encoding). X-File-Upload-Name names it in the results. The answer comes once it is safe on disk; it is read after the end of the upload.',
    access: manage,
    rateLimited: false,
    path,
    streamsBody: true,
    bodyExample: { meta: { type: 'enterprisecas', methods: 0, version: 6, count: 0 }, data: [] },
    status: 202,
    answer: Empty,
    errors: {
      bad_request: 'job must be in running status to attach files',
      forbidden,
      not_found: notFound,
      too_large: 'a body may have at most 4096 MiB as it is sent (KENNEL_UPLOAD_MAX_MB)',
      unsupported_media_type: 'the Content-Encoding must be gzip, deflate or identity',
      unavailable: 'the server is receiving 32 bodies already: try again',
    },
    handle: ({ caller, origin, path, upload }) =>
      attachFile(deps, intake, caller, path.file_upload_job_id, origin, upload),
  });

  register({
    id: 'EndFileUpload',
    method: 'POST',
    url: '/api/v2/file-upload/{file_upload_job_id}/end',
    tag,
    summary: 'End an upload; its files are read from now on',
    access: manage,
    rateLimited: false,
    path,
    answer: Empty,
    errors: { bad_request: 'job must be in running status to end', forbidden, not_found: notFound },
    handle: async ({ db, caller, origin, path }) => {
      await endUpload(deps, db, caller, origin, path.file_upload_job_id);
    },
  });

  register({
    id: 'CancelFileUpload',
    method: 'POST',
    url: '/api/v2/file-upload/{file_upload_job_id}/cancel',
    tag,
    summary: 'Cancel an upload that is running or ingesting',
    description:
      'Files that were read stay in the graph; the file that is being read leaves nothing, and no other is read.',
    access: manage,
    path,
    answer: Empty,
    errors: { forbidden, not_found: notFound, conflict: "upload 7 is complete and can't become canceled" },
    handle: ({ db, caller, origin, path }) => cancelUpload(deps, db, caller, origin, path.file_upload_job_id),
  });

  register({
    id: 'RetryFileUpload',
    method: 'POST',
    url: '/api/v2/file-upload/{file_upload_job_id}/retry',
    tag,
    summary: 'Read the files of an upload again that failed',
    access: manage,
    path,
    answer: Empty,
    errors: {
      forbidden,
      not_found: notFound,
      conflict: 'upload 7 is complete: only what failed can be read again',
    },
    handle: async ({ db, caller, origin, path }) => {
      await retryUpload(deps, db, caller, origin, path.file_upload_job_id);
    },
  });
}

function registerReads(register: Register): void {
  register({
    id: 'ListFileUploads',
    method: 'GET',
    url: '/api/v2/file-upload',
    tag,
    summary: 'List uploads, newest first',
    access: read,
    list: uploadList,
    answer: Struct({ count: Count, limit: Count, skip: Count, data: Type.Array(UploadJob) }),
    answerExample: { count: 1, limit: 100, skip: 0, data: [uploadExample] },
    handle: async ({ db, list }) => {
      const { count, rows } = await readPage<UploadRow>(db, uploadList, list);
      return { count, limit: list.limit ?? count, skip: list.skip, data: rows.map(toUploadView) };
    },
  });

  register({
    id: 'ListAcceptedFileTypes',
    method: 'GET',
    url: '/api/v2/file-upload/accepted-types',
    tag,
    summary: 'The media types that can be uploaded',
    access: manage,
    answer: Struct({ data: Type.Array(Type.String()) }),
    answerExample: { data: acceptedTypes },
    handle: async () => ({ data: acceptedTypes }),
  });

  register({
    id: 'ListCompletedTasks',
    method: 'GET',
    url: '/api/v2/file-upload/{file_upload_job_id}/completed-tasks',
    tag,
    summary: 'What became of each file of an upload; the entries of an archive one by one',
    access: read,
    path,
    answer: Struct({ data: Type.Array(CompletedTask) }),
    answerExample: { data: [taskExample] },
    errors: { not_found: notFound },
    handle: async ({ db, path }) => {
      const upload = await getUpload(db, path.file_upload_job_id);
      return {
        data: (await listResults(db, { uploadId: upload.id })).map((row) => toTaskView(row, upload.id)),
      };
    },
  });
}
