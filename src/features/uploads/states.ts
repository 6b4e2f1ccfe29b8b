import { type JobStatus, jobStatus, statusWords } from '../jobs/index.ts';
import type { UploadRow } from './store.ts';

const { running, complete, canceled, timedOut, failed, ingesting, analyzing, partiallyComplete } = jobStatus;

/**
 * An upload has the states of a job (gap 3.1) and two moves more: it can be canceled while it is read, and what
 * failed can be tried again.
 */
const successors: Partial<Record<JobStatus, readonly JobStatus[]>> = {
  [running]: [canceled, timedOut, ingesting, complete],
  [ingesting]: [analyzing, canceled, failed],
  [analyzing]: [complete, partiallyComplete, failed],
  [failed]: [ingesting],
  [partiallyComplete]: [ingesting],
};

export function canBecome({ status }: UploadRow, to: JobStatus): boolean {
  return successors[status]?.includes(to) === true;
}

export function stateOf({ status }: UploadRow): string {
  return statusWords[status].toLowerCase();
}
