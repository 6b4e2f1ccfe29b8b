import { AppError } from '../../errors.ts';

/** The life of a job, in one place (gap 3.1). docs/architecture.md draws it. */
export const jobStatus = {
  invalid: -1,
  ready: 0,
  running: 1,
  complete: 2,
  canceled: 3,
  timedOut: 4,
  failed: 5,
  ingesting: 6,
  analyzing: 7,
  partiallyComplete: 8,
} as const;

export type JobStatus = (typeof jobStatus)[keyof typeof jobStatus];

const {
  invalid,
  ready,
  running,
  complete,
  canceled,
  timedOut,
  failed,
  ingesting,
  analyzing,
  partiallyComplete,
} = jobStatus;

const successors: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  [ready]: [running, canceled],
  [running]: [canceled, timedOut, failed, ingesting, complete],
  [ingesting]: [analyzing, failed, invalid],
  [analyzing]: [complete, partiallyComplete, failed],
  [invalid]: [],
  [complete]: [],
  [canceled]: [],
  [timedOut]: [],
  [failed]: [],
  [partiallyComplete]: [],
};

/** What a job says of itself when nobody said anything better. */
export const statusWords: Readonly<Record<JobStatus, string>> = {
  [invalid]: 'Invalid',
  [ready]: 'Ready',
  [running]: 'Running',
  [complete]: 'Complete',
  [canceled]: 'Canceled',
  [timedOut]: 'Timed Out',
  [failed]: 'Failed',
  [ingesting]: 'Ingesting',
  [analyzing]: 'Analyzing',
  [partiallyComplete]: 'Partially Complete',
};

export const nothingArrived = 'Nothing arrived.';

/** No job moves on from there. */
export function isOver(status: number): boolean {
  return successors[status as JobStatus]?.length === 0;
}

export function canMove(from: JobStatus, to: JobStatus): boolean {
  return successors[from].includes(to);
}

export function checkMove(what: string, from: JobStatus, to: JobStatus): void {
  if (canMove(from, to)) return;
  throw new AppError(
    'conflict',
    `${what} is ${statusWords[from].toLowerCase()} and can't become ${statusWords[to].toLowerCase()}`,
  );
}
