import type { Deps } from '../../deps.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { entryPoint } from '../../program.ts';
import { storeSettings, WorkProcess } from '../../worker/child-process.ts';
import { limitsOf } from './limits.ts';
import type { FromReader, ToReader } from './messages.ts';
import type { Outcome, ReadableFile } from './read-file.ts';
import type { FileReader } from './reader.ts';

/** Reads in a process of its own. */
export class ChildReader implements FileReader {
  readonly #deps: Deps;
  readonly #process: WorkProcess<ToReader, FromReader>;

  constructor(deps: Deps, program = entryPoint('features/reading/child')) {
    const { readStallSeconds: seconds } = deps.settings;
    this.#deps = deps;
    this.#process = new WorkProcess({
      program,
      name: 'the reading process',
      log: deps.log,
      stall: { seconds, reason: `no progress for ${seconds} seconds (KENNEL_READ_STALL_SECONDS)` },
    });
  }

  open(): Promise<boolean> {
    const { settings } = this.#deps;
    return this.#process.open({
      type: 'open',
      settings: storeSettings(settings),
      limits: limitsOf(settings),
    });
  }

  async read(file: ReadableFile, onProgress: (progress: Progress) => void): Promise<Outcome> {
    const { id, name, encoding, bytes, unpacked_bytes, spool_id, reading_id, seen_at, domains } = file;
    const told = { id, name, encoding, bytes, unpacked_bytes, spool_id, reading_id, seen_at, domains };
    const reply = await this.#process.ask(
      { type: 'read', file: told },
      (message) => {
        if (message.type === 'progress') onProgress(message);
      },
      ({ type }) => type !== 'ready' && type !== 'progress',
    );
    if (reply.kind === 'stopped') return { kind: 'stopped', results: [] };
    if (reply.kind === 'ended') return { kind: 'broken', reason: reply.reason };
    const { message } = reply;
    if (message.type === 'read' || message.type === 'stopped')
      return { kind: message.type, results: message.results };
    return message.type === 'broken' || message.type === 'unavailable'
      ? { kind: message.type, reason: message.reason }
      : { kind: 'broken', reason: `it said ${message.type}` };
  }

  stop(): void {
    this.#process.stop();
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
