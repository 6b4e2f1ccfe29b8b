import type { Changes } from './changes.ts';
import type { Settings } from './config.ts';
import type { Db } from './db/client.ts';
import type { Keys } from './keys.ts';
import type { Logger } from './log.ts';

/** What every feature may use. */
export interface Deps {
  readonly settings: Settings;
  readonly db: Db;
  /** The graph's own store; on PostgreSQL the same database as `db`. */
  readonly graph: Db;
  /** The only clock: epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly changes: Changes;
  readonly keys: Keys;
  /** Names this installation in its tokens. */
  readonly instanceId: string;
  /** Where callers reach this server, never taken from a request's Host header. */
  readonly publicUrl: () => string;
}
