import type { Row } from './row.ts';
import { onOrOff, wholeNumber } from './rule.ts';

/** What is sent, how it is received and how it is read. */
export const fileSettings = {
  ingestMaxMb: {
    name: 'KENNEL_INGEST_MAX_MB',
    fallback: '256',
    rule: wholeNumber(1, 4096),
    description: 'Largest body, in MiB as it is sent, that a collector may send, 1 to 4096',
  },
  spoolQuotaMb: {
    name: 'KENNEL_SPOOL_QUOTA_MB',
    fallback: '10240',
    rule: wholeNumber(0, 10_000_000),
    description: 'How many MiB of files may wait to be read; 0 sets no limit',
  },
  uploadMaxMb: {
    name: 'KENNEL_UPLOAD_MAX_MB',
    fallback: '4096',
    rule: wholeNumber(1, 1_000_000),
    description: 'Largest file, in MiB as it is sent, that a person may upload, 1 to 1000000',
  },
  bodyPlaces: {
    name: 'KENNEL_BODY_PLACES',
    fallback: '32',
    rule: wholeNumber(8, 4096),
    description: 'How many bodies of collectors and uploads are received at a time, 8 to 4096',
  },
  bodyMinKbPerSecond: {
    name: 'KENNEL_BODY_MIN_KB_PER_SECOND',
    fallback: '4',
    rule: wholeNumber(0, 100_000),
    description: 'Least speed of such a body, in KiB a second over each minute; 0 sets no limit',
  },
  bodyMaxSeconds: {
    name: 'KENNEL_BODY_MAX_SECONDS',
    fallback: '3600',
    rule: wholeNumber(1, 604_800),
    description: 'How many seconds such a body may take to arrive, 1 to 604800',
  },
  unverifiedMaxMb: {
    name: 'KENNEL_UNVERIFIED_MAX_MB',
    fallback: '64',
    rule: wholeNumber(1, 1_000_000),
    description: 'How many MiB an API token may have under way before one of its signatures was right',
  },
  readFiles: {
    name: 'KENNEL_READ_FILES',
    fallback: 'on',
    rule: onOrOff,
    description: 'Whether this process reads files into the graph, on or off; off leaves it to others',
  },
  readStallSeconds: {
    name: 'KENNEL_READ_STALL_SECONDS',
    fallback: '600',
    rule: wholeNumber(1, 86_400),
    description: 'How many seconds without progress end the reading of a file, 1 to 86400',
  },
  analyze: {
    name: 'KENNEL_ANALYZE',
    fallback: 'on',
    rule: onOrOff,
    description: 'Whether this process analyses the graph, on or off; off leaves it to others',
  },
  failedFileHours: {
    name: 'KENNEL_FAILED_FILE_HOURS',
    fallback: '24',
    rule: wholeNumber(0, 8760),
    description: 'How many hours a file that failed is kept, so that it can be read again, 0 to 8760',
  },
  fileMaxMb: {
    name: 'KENNEL_FILE_MAX_MB',
    fallback: '16384',
    rule: wholeNumber(1, 1_000_000),
    description: 'Largest JSON text, in MiB after unpacking, that is read, 1 to 1000000',
  },
  recordMaxMb: {
    name: 'KENNEL_RECORD_MAX_MB',
    fallback: '64',
    rule: wholeNumber(1, 256),
    description: 'Largest single record of a file, in MiB, that is read, 1 to 256',
  },
  jsonMaxDepth: {
    name: 'KENNEL_JSON_MAX_DEPTH',
    fallback: '64',
    rule: wholeNumber(8, 1000),
    description: 'How deep a record may be nested, 8 to 1000',
  },
  zipMaxEntries: {
    name: 'KENNEL_ZIP_MAX_ENTRIES',
    fallback: '10000',
    rule: wholeNumber(1, 1_000_000),
    description: 'How many entries a zip archive may have, 1 to 1000000',
  },
  zipMaxMb: {
    name: 'KENNEL_ZIP_MAX_MB',
    fallback: '65536',
    rule: wholeNumber(1, 10_000_000),
    description: 'How many MiB a zip archive may unpack to, 1 to 10000000',
  },
  zipMaxRatio: {
    name: 'KENNEL_ZIP_MAX_RATIO',
    fallback: '200',
    rule: wholeNumber(2, 100_000),
    description: 'How many times its size an entry of a zip archive may unpack to, 2 to 100000',
  },
} as const satisfies Record<string, Row>;
