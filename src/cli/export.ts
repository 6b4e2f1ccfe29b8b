import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { type ExportProgress, exportOpenGraph } from '../graph/export.ts';
import { onItsLines } from '../values/text.ts';
import { CommandError, exitCodes, tell } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

export function define(command: Command): void {
  command
    .argument('[file]', 'where to; standard output if left out')
    .option('--opengraph', 'in OpenGraph form, which can be ingested again')
    .option('--force', 'replace the file if it is there');
  withSettings(command).action(
    async (file: string | undefined, options: { opengraph?: boolean; force?: boolean }) => {
      if (options.opengraph !== true) {
        throw new CommandError('say in which form: there is --opengraph', exitCodes.usage);
      }
      const settings = commandSettings(command);
      // On a terminal names must not steer it; JSON says the same with escapes.
      const run = (stream: Writable, shown = (text: string) => text) => {
        const line = new ProgressLine();
        return withStore(settings, ({ graph }) =>
          exportOpenGraph(graph, writerTo(stream, shown), (progress) => line.show(progress)),
        ).finally(() => line.clear());
      };
      const { nodes, edges } =
        file === undefined
          ? await unlessReaderLeaves(run(process.stdout, onItsLines))
          : await intoFile(file, options.force === true, run);
      tell(`exported ${nodes} nodes and ${edges} edges`);
    },
  );
}

/** Waits for whoever reads, so that nothing piles up. */
function writerTo(stream: Writable, shown: (text: string) => string): (text: string) => Promise<void> {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return async (text) => {
    if (failure !== undefined) throw failure;
    if (!stream.write(shown(text))) await once(stream, 'drain');
  };
}

/** `kennel export --opengraph | head` is no failure of ours. */
async function unlessReaderLeaves(run: Promise<ExportProgress>): Promise<ExportProgress> {
  try {
    return await run;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') {
      throw new CommandError('the export was not read to its end');
    }
    throw error;
  }
}

/** The file is complete, or it is not there; what was there before is replaced only when all is written. */
async function intoFile(
  file: string,
  force: boolean,
  run: (stream: Writable) => Promise<ExportProgress>,
): Promise<ExportProgress> {
  // Takes the name, so that nobody else can meanwhile.
  if (!force) closeSync(openNew(file));
  const partial = `${file}.${process.pid}.partial`;
  try {
    // What is in it is nobody else's business.
    const stream = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    const result = await run(stream);
    stream.end();
    await finished(stream);
    renameSync(partial, file);
    return result;
  } catch (error) {
    rmSync(partial, { force: true });
    if (!force) rmSync(file, { force: true });
    throw error;
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'EEXIST'
        ? `${file} is there already: --force replaces it`
        : `cannot write ${file}: ${message}`,
    );
  }
}

/** One line that is written over, on a terminal only. */
class ProgressLine {
  #shownAt = 0;

  show({ nodes, edges }: ExportProgress): void {
    const now = performance.now();
    if (process.stderr.isTTY !== true || now - this.#shownAt < 200) return;
    process.stderr.write(`\r${nodes} nodes, ${edges} edges`);
    this.#shownAt = now;
  }

  clear(): void {
    if (this.#shownAt !== 0) tell('');
  }
}
