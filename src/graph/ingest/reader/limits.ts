const mebibyte = 1024 * 1024;

/** What one JSON file may be. Sizes are of its text as UTF-8, after decompression. */
export interface ReadLimits {
  readonly fileBytes: number;
  /** Of all sections together. */
  readonly records: number;
  readonly recordBytes: number;
  /** Levels inside one record; a record that is an object of texts has one. */
  readonly depth: number;
  /** Members of one object. */
  readonly members: number;
  /** Values in one record: a small text can make a large object. */
  readonly values: number;
  /** One text or member name, as written between its quotes. */
  readonly stringBytes: number;
}

export const defaultReadLimits: ReadLimits = {
  fileBytes: 16 * 1024 * mebibyte,
  records: 50_000_000,
  recordBytes: 64 * mebibyte,
  depth: 64,
  members: 10_000,
  values: 4_000_000,
  stringBytes: mebibyte,
};

/** What one zip archive may be, by what it says about itself and by what really comes out. */
export interface ArchiveLimits {
  readonly entries: number;
  readonly nameBytes: number;
  readonly entryBytes: number;
  readonly totalBytes: number;
  /** Uncompressed to compressed size; entries below one MiB may have any. */
  readonly ratio: number;
}

export const defaultArchiveLimits: ArchiveLimits = {
  entries: 10_000,
  nameBytes: 1024,
  entryBytes: 16 * 1024 * mebibyte,
  totalBytes: 64 * 1024 * mebibyte,
  ratio: 200,
};
