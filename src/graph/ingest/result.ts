/** What became of one file, or of one entry of an archive: told to people, kept with the upload or job. */
export interface FileResult {
  /** The name it was sent under; of an entry, its path inside the archive. */
  readonly name: string;
  /** The archive it was in, if it was. */
  readonly archive: string | undefined;
  readonly outcome: 'complete' | 'failed';
  readonly records: number;
  /** The same by kind: of Azure as each says, else the type of the file, or nodes and edges of OpenGraph. */
  readonly kinds?: Readonly<Record<string, number>>;
  /** Records that are as they were when they were last applied; their nodes and edges are not counted. */
  readonly unchanged?: number;
  /** Written: new, or stated again. */
  readonly nodes: number;
  readonly edges: number;
  /** Edges with an end that no node, or more than one, fits: left out. */
  readonly unmatched?: number;
  /** Edges that the source no longer states. */
  readonly withdrawn: number;
  /** Items that are not read yet, by kind: counted, never a failure. */
  readonly skipped: Readonly<Record<string, number>>;
  /** In plain words, with the record and the byte where that is known; bounded in number. */
  readonly warnings: readonly string[];
  /** All of them, listed or not. */
  readonly warningCount?: number;
  readonly errors: readonly string[];
}

export interface Progress {
  readonly bytes: number;
  readonly records: number;
}
