/** A record of a file: `index` counts from 0 within its section. */
export interface RecordPlace {
  readonly section: string;
  readonly index: number;
}

interface Details {
  /** In the file's text as UTF-8, without its byte order mark; of zip archives in the archive itself. */
  readonly offset?: number;
  readonly record?: RecordPlace | undefined;
  /** The member of the limits that was passed, if that is the problem. */
  readonly limit?: string | undefined;
  readonly cause?: unknown;
}

export const unsafeMember = 'a member named "__proto__" is not allowed';

/** Why a file, or one entry of an archive, can't be read: in words for the person who sent it. */
export class FileProblem extends Error {
  readonly reason: string;
  readonly offset: number | undefined;
  readonly record: RecordPlace | undefined;
  readonly limit: string | undefined;

  constructor(reason: string, { offset, record, limit, cause }: Details = {}) {
    const where: string[] = [];
    if (record !== undefined) where.push(`record ${record.index} of ${record.section}`);
    if (offset !== undefined) where.push(`byte ${offset}`);
    super(
      where.length === 0 ? reason : `${where.join(', ')}: ${reason}`,
      cause === undefined ? {} : { cause },
    );
    this.name = 'FileProblem';
    this.reason = reason;
    this.offset = offset;
    this.record = record;
    this.limit = limit;
  }
}
