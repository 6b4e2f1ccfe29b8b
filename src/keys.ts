import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from './config.ts';

/** The keys of one installation, all derived from its one secret. */
export interface Keys {
  /** Signs tokens. */
  readonly tokens: Uint8Array;
  /** Hashes what must be recognised but not read, such as names of failed sign-ins. */
  readonly lookups: Uint8Array;
  /** Encrypts secrets that must be readable again: signing keys, seeds of one-time passwords (`sealed.ts`). */
  readonly sealing: Uint8Array;
  /** Links the records of the audit log. */
  readonly audit: Uint8Array;
  /** Recognises the secret without giving it away. */
  readonly fingerprint: string;
  /** The keys before a rotation: what was made with them is still accepted. */
  readonly previous: Omit<Keys, 'previous'> | undefined;
}

const secretBytes = 32;

/** gap 8.4: `KENNEL_SECRET`, or a file in the data directory that is made once. */
export function loadKeys(settings: Pick<Settings, 'secret' | 'previousSecret' | 'dataDir'>): Keys {
  const keys = deriveKeys(settings.secret ?? secretFromFile(join(settings.dataDir, 'secret')));
  return settings.previousSecret === undefined
    ? keys
    : { ...keys, previous: deriveKeys(settings.previousSecret) };
}

function secretFromFile(file: string): Buffer {
  if (!existsSync(file)) createSecretFile(file);
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (secret.length !== secretBytes) throw new Error(`${file} must hold ${secretBytes} bytes in base64`);
  return secret;
}

/** Written aside and linked into place, so that another process never reads half of it. */
function createSecretFile(file: string): void {
  // With PostgreSQL nothing else makes the directory.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Two containers on one volume may well have the same process id.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${randomBytes(secretBytes).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // else another process was first
  } finally {
    unlinkSync(draft);
  }
}

function deriveKeys(secret: Buffer): Keys {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', secret, '', `kennel ${purpose}`, 32));
  return {
    tokens: derive('tokens'),
    lookups: derive('lookups'),
    sealing: derive('sealing'),
    audit: derive('audit'),
    fingerprint: createHash('sha256').update(derive('fingerprint')).digest('hex').slice(0, 32),
    previous: undefined,
  };
}
