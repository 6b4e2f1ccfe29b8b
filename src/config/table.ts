import { fileSettings } from './file-settings.ts';
import { hostName } from './host.ts';
import type { Row } from './row.ts';
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
  ...fileSettings,
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
