import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import type { ResultRow } from '../spool/index.ts';
import type { UploadRow } from './store.ts';

const Count = Type.Integer({ minimum: 0 });
const Id = Type.Integer({ format: 'int64' });

export const UploadJob = Struct(
  {
    id: Id,
    ...timestampMembers,
    user_id: Nullable(Uuid, { description: 'null once the user is deleted' }),
    user_email_address: NullableString,
    status: Type.Integer({
      minimum: -1,
      maximum: 8,
      description:
        '1 running, 2 complete, 3 canceled, 4 timed out, 5 failed, 6 ingesting, 7 analyzing, 8 partially complete',
    }),
    status_message: Type.String(),
    start_time: DateTime,
    end_time: DateTime,
    last_ingest: DateTime,
    total_files: Type.Integer({
      minimum: 0,
      description: 'An archive counts as its entries once it is read',
    }),
    failed_files: Count,
    partial_failed_files: Type.Integer({
      minimum: 0,
      description: 'Archives of which some entries could not be read',
    }),
  },
  { title: 'UploadJob' },
);

export const CompletedTask = Struct(
  {
    id: Id,
    ...timestampMembers,
    ingest_job_id: Type.Integer({ format: 'int64', description: 'The upload' }),
    file_name: Type.String(),
    parent_file_name: Type.String({ description: 'The archive it was in; empty if it was in none' }),
    outcome: Type.Union([Type.Literal('complete'), Type.Literal('failed')]),
    records: Count,
    nodes: Count,
    edges: Count,
    withdrawn: Type.Integer({ minimum: 0, description: 'Edges that the source no longer states' }),
    skipped: Type.Record(Type.String(), Count, {
      description: 'Items that are not read yet, by kind; no failure',
    }),
    warnings: Type.Array(Type.String()),
    errors: Type.Array(Type.String()),
  },
  { title: 'CompletedTask' },
);

export function toUploadView(row: UploadRow): Static<typeof UploadJob> {
  return {
    id: row.id,
    ...timestamps(row),
    user_id: row.user_id,
    user_email_address: row.user_email_address,
    status: row.status,
    status_message: row.status_message,
    start_time: dateTime(row.start_time),
    end_time: dateTime(row.end_time),
    last_ingest: dateTime(row.last_ingest),
    total_files: row.total_files,
    failed_files: row.failed_files,
    partial_failed_files: row.partial_failed_files,
  };
}

export function toTaskView(row: ResultRow, uploadId: number): Static<typeof CompletedTask> {
  return {
    id: row.id,
    ...timestamps(row),
    ingest_job_id: uploadId,
    file_name: row.file_name,
    parent_file_name: row.parent_file_name ?? '',
    outcome: row.outcome,
    records: row.records,
    nodes: row.nodes,
    edges: row.edges,
    withdrawn: row.withdrawn,
    skipped: JSON.parse(row.skipped),
    warnings: JSON.parse(row.warnings),
    errors: JSON.parse(row.errors),
  };
}

const at = Date.UTC(2026, 10, 14, 8);
export const uploadExample = toUploadView({
  id: 7,
  user_id: 'c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11',
  user_name: 'ada',
  user_email_address: 'ada@example.org',
  status: 1,
  status_message: 'Running',
  start_time: at,
  end_time: null,
  last_ingest: null,
  total_files: 0,
  failed_files: 0,
  partial_failed_files: 0,
  created_at: at,
  updated_at: at,
});
export const taskExample = toTaskView(
  {
    id: 12,
    file_id: 3,
    file_name: '20261114080000_enterprisecas.json',
    parent_file_name: '20261114080000_BloodHound.zip',
    outcome: 'complete',
    records: 2,
    nodes: 9,
    edges: 41,
    withdrawn: 0,
    skipped: '{}',
    warnings: '["meta.count says 3, but there are 2 records"]',
    errors: '[]',
    created_at: at,
    updated_at: at,
  },
  7,
);
