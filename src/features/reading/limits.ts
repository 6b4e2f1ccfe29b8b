import type { Settings } from '../../config.ts';
import {
  type ArchiveLimits,
  defaultArchiveLimits,
  defaultReadLimits,
  type ReadLimits,
} from '../../graph/ingest/reader/limits.ts';

const mebibyte = 1024 * 1024;

export interface FileLimits {
  readonly read: ReadLimits;
  readonly archive: ArchiveLimits;
}

/** What a file may be, as the operator set it. */
export function limitsOf(settings: Settings): FileLimits {
  const fileBytes = settings.fileMaxMb * mebibyte;
  return {
    read: {
      ...defaultReadLimits,
      fileBytes,
      recordBytes: settings.recordMaxMb * mebibyte,
      depth: settings.jsonMaxDepth,
    },
    archive: {
      ...defaultArchiveLimits,
      entries: settings.zipMaxEntries,
      entryBytes: fileBytes,
      totalBytes: settings.zipMaxMb * mebibyte,
      ratio: settings.zipMaxRatio,
    },
  };
}
