import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../../src/deps.ts';
import { createSpool } from '../../src/features/spool/index.ts';

export interface KeptFile {
  readonly job_id: number;
  readonly client_id: string;
  readonly sha256: string;
  readonly encoding: string;
  readonly content_type: string | null;
  readonly bytes: number;
  readonly unpacked_bytes: number;
  readonly spool_id: string;
  readonly state: string;
  /** As the spool gives them back. */
  readonly content: Buffer;
}

type Parts = Pick<Deps, 'db' | 'settings' | 'clock'>;

/** What is kept, oldest first. */
export async function keptFiles(deps: Parts): Promise<KeptFile[]> {
  const rows = await deps.db.query<Omit<KeptFile, 'content'>>(
    `select job_id, client_id, sha256, encoding, content_type, bytes, unpacked_bytes, spool_id, state
     from ingest_files order by id`,
  );
  const files: KeptFile[] = [];
  for (const row of rows) files.push({ ...row, content: await contentOf(deps, row.spool_id) });
  return files;
}

export async function contentOf(deps: Parts, spoolId: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of createSpool(deps).open(spoolId)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The names of everything in the spool, whether or not it is kept. */
export async function spooled({ db, settings }: Parts): Promise<string[]> {
  if (settings.databaseUrl === undefined) {
    const directory = join(settings.dataDir, 'spool');
    return existsSync(directory) ? readdirSync(directory).sort() : [];
  }
  const rows = await db.query<{ spool_id: string }>(
    'select distinct spool_id from ingest_chunks order by spool_id',
  );
  return rows.map((row) => row.spool_id);
}
