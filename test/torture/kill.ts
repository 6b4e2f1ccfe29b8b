import { readFileSync } from 'node:fs';
import type { KennelProcess } from '../server/processes.ts';

/** A server and the processes it has started, all at once, so that none can tidy up after another. */
export async function killAll(server: KennelProcess): Promise<void> {
  const others = childrenOf(server.pid);
  const ended = server.end('SIGKILL');
  for (const pid of others) killIfThere(pid);
  await ended;
}

/** Where the system does not tell, these processes end by themselves right after their server. */
function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
