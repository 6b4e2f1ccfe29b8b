import type { Look, Reader, Transaction, Value } from '../../db/client.ts';
import { type Column, deletedAtColumn, type List } from '../../http/list.ts';
import type { JobStatus } from '../jobs/index.ts';

export interface UploadRow {
  readonly id: number;
  /** Null for what the command line took in. */
  readonly user_id: string | null;
  readonly user_name: string;
  readonly user_email_address: string | null;
  readonly status: JobStatus;
  readonly status_message: string;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly last_ingest: number | null;
  readonly total_files: number;
  readonly failed_files: number;
  readonly partial_failed_files: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const columns = [
  'user_id',
  'user_name',
  'user_email_address',
  'status',
  'status_message',
  'start_time',
  'end_time',
  'last_ingest',
  'total_files',
  'failed_files',
  'partial_failed_files',
  'created_at',
  'updated_at',
] as const;
const select = `id, ${columns.join(', ')}`;

const sorted = (type: Column['type'], name: string): [string, Column] => [name, { type, sql: `u.${name}` }];

/** Uploads, newest first unless told otherwise. */
export const uploadList: List = {
  select: ['id', ...columns].map((column) => `u.${column}`).join(', '),
  from: 'uploads u',
  key: 'id',
  defaultSort: ['-id'],
  defaultLimit: 100,
  growth: 'every column indexed',
  columns: {
    id: { type: 'integer', sql: 'u.id' },
    user_id: { type: 'uuid', sql: 'u.user_id' },
    ...Object.fromEntries(['user_email_address', 'status_message'].map((name) => sorted('text', name))),
    ...Object.fromEntries(['status', 'total_files', 'failed_files'].map((name) => sorted('integer', name))),
    ...Object.fromEntries(
      ['start_time', 'end_time', 'last_ingest', 'created_at', 'updated_at'].map((name) =>
        sorted('time', name),
      ),
    ),
    deleted_at: deletedAtColumn,
  },
};

export async function insertUpload(db: Transaction, upload: Omit<UploadRow, 'id'>): Promise<UploadRow> {
  const row = await db.one<{ id: number }>(
    `insert into uploads (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     returning id`,
    columns.map((column) => upload[column]),
  );
  return { id: row?.id ?? 0, ...upload };
}

export function findUpload(db: Reader, id: number | bigint): Promise<UploadRow | undefined> {
  return db.one<UploadRow>(`select ${select} from uploads where id = $1`, [id]);
}

/** The upload as it is now; nobody else can change it until the transaction ends. */
export function lockUpload(db: Transaction, id: number | bigint): Promise<UploadRow | undefined> {
  return db.one<UploadRow>(`update uploads set updated_at = updated_at where id = $1 returning ${select}`, [
    id,
  ]);
}

export type UploadChange = Partial<Omit<UploadRow, 'id' | 'user_id' | 'created_at' | 'updated_at'>>;

export async function updateUpload(
  db: Transaction,
  upload: UploadRow,
  change: UploadChange,
  now: number,
): Promise<UploadRow> {
  const entries = Object.entries({ ...change, updated_at: now }) as [string, Value][];
  const assignments = entries.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  await db.execute(`update uploads set ${assignments} where id = $1`, [
    upload.id,
    ...entries.map(([, value]) => value),
  ]);
  return { ...upload, ...change, updated_at: now };
}

/** A file of the upload was read, into so many results. The end of the upload counts anew. */
export async function countFile(
  db: Transaction,
  id: number,
  results: number,
  failed: number,
  now: number,
): Promise<void> {
  await db.execute(
    `update uploads set total_files = total_files + $2, failed_files = failed_files + $3,
       partial_failed_files = partial_failed_files + $4, updated_at = $5 where id = $1`,
    [id, results - 1, failed, failed > 0 && failed < results ? 1 : 0, now],
  );
}

/** Running ones of which nothing was heard since then. */
export async function findIdle(db: Reader, since: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `select id from uploads where status = 1 and start_time <= $1 and coalesce(last_ingest, 0) <= $1
     order by id limit 500`,
    [since],
  );
  return rows.map(({ id }) => id);
}

/** Ingesting or analyzing, with the analysis that it waits for. */
export const uploadsUnderWayLook: Look = {
  store: 'db',
  sql: 'select count(*) from (select id from uploads where status in (6, 7) limit 1) under_way',
  due: 'while',
};

export function findUnderWay(
  db: Reader,
): Promise<{ id: number; status: JobStatus; analysis_request_id: number | null }[]> {
  return db.query('select id, status, analysis_request_id from uploads where status in (6, 7) order by id');
}

export async function awaitAnalysis(db: Transaction, id: number, requestId: number): Promise<void> {
  await db.execute('update uploads set analysis_request_id = $2 where id = $1', [id, requestId]);
}
