import type { Command } from 'commander';
import { readerCommand, runReader } from '../features/reading/index.ts';
import { CommandError, exitCodes } from './output.ts';

/** Not for people: a server starts it to read files in a process of its own. */
export function addReadFiles(program: Command): void {
  program.command(readerCommand, { hidden: true }).action(() => {
    if (process.send === undefined)
      throw new CommandError('read-files is started by `kennel serve`: use `kennel ingest`', exitCodes.usage);
    runReader();
  });
}
