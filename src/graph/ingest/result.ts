/** What became of one file, or of one entry of an archive: told to people, kept with the upload or job. */
export interface FileResult {
  /** The name it was sent under; of an entry, its path inside the archive. */
  readonly name: string;
  /** The archive it was in, if it was. */
  readonly archive: string | undefined;
  readonly outcome: 'complete' | 'failed';
  readonly records: number;
  /** Records that are as they were when they were last applied; their nodes and edges are not counted. */
  readonly unchanged?: number;
  /** Written: new, or stated again. */
  readonly nodes: number;
  readonly edges: number;
  /** Edges that the source no longer states. */
  readonly withdrawn: number;
  /** Items that are not read yet, by kind: counted, never a failure. */
  readonly skipped: Readonly<Record<string, number>>;
  /** In plain words, with the record and the byte where that is known; bounded in number. */
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

export interface Progress {
  readonly bytes: number;
  readonly records: number;
}
