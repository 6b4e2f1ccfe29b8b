import { hostName } from './host.ts';
import {
  anyText,
  directoryPath,
  encryptionKey,
  filePath,
  oneOf,
  onOrOff,
  type Rule,
  wholeNumber,
} from './rule.ts';
import { databaseUrl, publicUrl } from './url.ts';

interface Row {
  readonly name: string;
  readonly description: string;
  readonly rule: Rule<unknown>;
  /** Used when the variable is unset; goes through the rule like any other text. */
  readonly fallback?: string;
  /** For a setting without a fallback: what being unset means. */
  readonly whenUnset?: string;
  /** A secret may also be given as `<name>_FILE`, and what it covers is never shown. */
  readonly secret?: 'whole value' | 'passwords in URL';
}

export const table = {
  host: {
    name: 'KENNEL_HOST',
    fallback: '127.0.0.1',
    rule: hostName,
    description: 'Host name or IP address to listen on',
  },
  port: {
    name: 'KENNEL_PORT',
    fallback: '8080',
    rule: wholeNumber(0, 65_535),
    description: 'Port to listen on; 0 picks a free one',
  },
  dataDir: {
    name: 'KENNEL_DATA_DIR',
    fallback: './kennel-data',
    rule: directoryPath,
    description: 'Directory that holds everything the server keeps on disk',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    whenUnset: 'embedded store',
    rule: databaseUrl,
    secret: 'passwords in URL',
    description: 'PostgreSQL to use instead of the embedded store: postgres://user:password@host/database',
  },
  databasePool: {
    name: 'KENNEL_DATABASE_POOL',
    fallback: '10',
    rule: wholeNumber(1, 100),
    description: 'Most connections to PostgreSQL at a time, 1 to 100',
  },
  databasePrepare: {
    name: 'KENNEL_DATABASE_PREPARE',
    fallback: 'on',
    rule: onOrOff,
    description: 'Prepared statements, on or off; off for PgBouncer',
  },
  edition: {
    name: 'KENNEL_EDITION',
    fallback: 'enterprise',
    rule: oneOf('enterprise', 'community'),
    description: 'Edition whose behaviour is served: enterprise or community',
  },
  publicUrl: {
    name: 'KENNEL_PUBLIC_URL',
    whenUnset: 'http://<host>:<port>',
    rule: publicUrl,
    description: 'URL under which clients reach the server, with a base path if there is one',
  },
  adminPassword: {
    name: 'KENNEL_ADMIN_PASSWORD',
    whenUnset: 'a random one, told once',
    rule: anyText,
    secret: 'whole value',
    description: 'Password of the first administrator; counts only while there is none',
  },
  secret: {
    name: 'KENNEL_SECRET',
    whenUnset: 'made once into the data directory',
    rule: encryptionKey,
    secret: 'whole value',
    description: 'The one secret that all keys come from: 32 bytes in base64',
  },
  previousSecret: {
    name: 'KENNEL_SECRET_PREVIOUS',
    whenUnset: 'none',
    rule: encryptionKey,
    secret: 'whole value',
    description: 'Former KENNEL_SECRET, while changing to a new one',
  },
  auditRetentionDays: {
    name: 'KENNEL_AUDIT_RETENTION_DAYS',
    fallback: '365',
    rule: wholeNumber(0, 36_500),
    description: 'How many days records of the audit log are kept; 0 keeps them for ever',
  },
  sessionRetentionDays: {
    name: 'KENNEL_SESSION_RETENTION_DAYS',
    fallback: '30',
    rule: wholeNumber(1, 3650),
    description: 'How many days sessions are kept after they ended or expired, 1 to 3650',
  },
  postureRetentionDays: {
    name: 'KENNEL_POSTURE_RETENTION_DAYS',
    fallback: '3650',
    rule: wholeNumber(0, 36_500),
    description: 'How many days posture and findings that are gone are kept; 0 keeps them for ever',
  },
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
  maxWaitSeconds: {
    name: 'KENNEL_MAX_WAIT_SECONDS',
    fallback: '600',
    rule: wholeNumber(1, 86_400),
    description: 'Longest time, in seconds, that a request may ask the server to wait, 1 to 86400',
  },
  rateLimit: {
    name: 'KENNEL_RATE_LIMIT',
    whenUnset: '500; 0 when KENNEL_HOST is loopback',
    rule: wholeNumber(0, 1_000_000),
    description: 'Requests per second allowed to each caller; 0 turns the limit off',
  },
  drainSeconds: {
    name: 'KENNEL_DRAIN_SECONDS',
    whenUnset: '3; 0 when KENNEL_HOST is loopback',
    rule: wholeNumber(0, 600),
    description: 'How many seconds a server that is being stopped still serves while it says not ready',
  },
  metricsPort: {
    name: 'KENNEL_METRICS_PORT',
    whenUnset: 'off',
    rule: wholeNumber(0, 65_535),
    description: 'Port that serves Prometheus metrics; 0 picks a free one',
  },
  metricsHost: {
    name: 'KENNEL_METRICS_HOST',
    fallback: '127.0.0.1',
    rule: hostName,
    description: 'Host name or IP address that serves Prometheus metrics',
  },
  logLevel: {
    name: 'KENNEL_LOG_LEVEL',
    fallback: 'info',
    rule: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    description: 'Least severe log level written: fatal, error, warn, info, debug, trace or silent',
  },
  logFormat: {
    name: 'KENNEL_LOG_FORMAT',
    fallback: 'auto',
    rule: oneOf('auto', 'json', 'pretty'),
    description: 'json, pretty, or auto: pretty on a terminal and json elsewhere',
  },
  providersFile: {
    name: 'KENNEL_PROVIDERS_FILE',
    whenUnset: 'none',
    rule: filePath,
    description: 'JSON file that declares SSO providers, applied at start; see docs/sso.md',
  },
  collectorsDir: {
    name: 'KENNEL_COLLECTORS_DIR',
    whenUnset: 'none',
    rule: directoryPath,
    description: 'Folder of collectors that people can download; see docs/collectors.md',
  },
  tlsCert: {
    name: 'KENNEL_TLS_CERT',
    whenUnset: 'no TLS',
    rule: filePath,
    description: 'File of the PEM certificate chain to serve HTTPS with; needs KENNEL_TLS_KEY',
  },
  tlsKey: {
    name: 'KENNEL_TLS_KEY',
    whenUnset: 'no TLS',
    rule: filePath,
    description: 'File of the PEM private key of KENNEL_TLS_CERT',
  },
} as const satisfies Record<string, Row>;

type Table = typeof table;
type RuleValue<R extends Row> = R['rule'] extends Rule<infer Value> ? Value : never;

export type Field = keyof Table;
export type SettingName = Table[Field]['name'];
export type SecretFileName = `${Extract<Table[Field], { secret: string }>['name']}_FILE`;

/** One value per row of the table, before rows are combined. */
export type RowValues = {
  [F in Field]: Table[F] extends { fallback: string } ? RuleValue<Table[F]> : RuleValue<Table[F]> | undefined;
};

export interface FieldRow extends Row {
  readonly field: Field;
  readonly name: SettingName;
  readonly fileName: SecretFileName | undefined;
}

export const rows: readonly FieldRow[] = Object.entries<Row>(table).map(([field, row]) =>
  Object.freeze({
    ...row,
    field: field as Field,
    name: row.name as SettingName,
    fileName: row.secret === undefined ? undefined : (`${row.name}_FILE` as SecretFileName),
  }),
);

export interface SettingDescription {
  readonly name: SettingName;
  /** The default as an operator would write it, or what happens when the setting is not given. */
  readonly defaultText: string;
  readonly description: string;
  /** The variable that may name a file with the value instead; only secrets have one. */
  readonly fileName: string | undefined;
}

/** In the order in which documentation should list them. */
export const settingDescriptions: readonly SettingDescription[] = Object.freeze(
  rows.map(({ name, fallback, whenUnset, description, fileName }) =>
    Object.freeze({ name, defaultText: fallback ?? whenUnset ?? '', description, fileName }),
  ),
);

export const settingNames: readonly SettingName[] = Object.freeze(rows.map(({ name }) => name));
