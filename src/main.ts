import { Command, CommanderError } from 'commander';
import { commands } from './cli/commands.ts';
import { exitCodes } from './cli/output.ts';
import { onItsLines } from './values/text.ts';
import { version } from './version.ts';

const program = new Command('kennel')
  .description('Self-hosted management server for graph-based identity-security analysis')
  .version(version)
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(onItsLines(text)) })
  .showHelpAfterError('(add --help for the options)');

try {
  for (const { name, description, load } of commands) {
    const command = program.command(name).description(description);
    // The whole program takes far longer to load than most commands take to run.
    if (process.argv.includes(name)) (await load()).define(command);
    command.exitOverride();
  }
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else process.exitCode = (await import('./cli/failure.ts')).report(error);
}
