import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone when this process ends, also by a signal; then the processes that it started end as well. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `kennel-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return folder;
}
