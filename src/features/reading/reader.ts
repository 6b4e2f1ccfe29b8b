import { waitForLock } from '../../db/server-lock.ts';
import type { Deps } from '../../deps.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { createSpool } from '../spool/index.ts';
import { limitsOf } from './limits.ts';
import { type Outcome, type ReadableFile, readFile } from './read-file.ts';

/** Reads files into the graph, one at a time. */
export interface FileReader {
  /** Does nothing when it is open. True when it was not. */
  open(): Promise<boolean>;
  read(file: ReadableFile, onProgress: (progress: Progress) => void): Promise<Outcome>;
  /** The file under way, if there is one, is given up between two steps. */
  stop(): void;
  close(): Promise<void>;
}

/**
 * The embedded store has one reader: whoever holds this knows that no other is alive. PostgreSQL needs none,
 * there the leases tell.
 */
export async function lockReading(
  { databaseUrl, dataDir }: Pick<Deps['settings'], 'databaseUrl' | 'dataDir'>,
  isGivenUp: () => boolean = () => false,
): Promise<{ release(): void } | undefined> {
  if (databaseUrl !== undefined) return undefined;
  return waitForLock(dataDir, 'another process reads files', 'reader.lock', isGivenUp);
}

/** Reads in this very process, for commands. */
export class OwnReader implements FileReader {
  readonly #deps: Deps;
  #lock: { release(): void } | undefined;
  #isOpen = false;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async open(): Promise<boolean> {
    if (this.#isOpen) return false;
    this.#lock = await lockReading(this.#deps.settings, () => this.#isStopped);
    this.#isOpen = true;
    return true;
  }

  async read(file: ReadableFile, onProgress: (progress: Progress) => void): Promise<Outcome> {
    const { graph, settings, log } = this.#deps;
    this.#isStopped = false;
    try {
      return await readFile(graph, createSpool(this.#deps), file, limitsOf(settings), {
        onProgress,
        isStopped: () => this.#isStopped,
      });
    } catch (error) {
      log.error({ err: error, file_id: file.id }, 'reading a file failed');
      return { kind: 'broken', reason: 'an internal error, which is in the log' };
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async close(): Promise<void> {
    this.#lock?.release();
    this.#isOpen = false;
  }
}
