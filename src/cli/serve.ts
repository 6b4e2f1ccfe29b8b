import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Settings } from '../config.ts';
import type { Deps } from '../deps.ts';
import { ensureAdministrator, firstAdministratorName, initialPasswordFile } from '../features/users/index.ts';
import { declareProviders } from './declared-providers.ts';
import { exitCodes, printResult, tell } from './output.ts';
import { type RunningServer, startServer } from './run-server.ts';
import { commandSettings, withSettings } from './settings.ts';

export function define(command: Command): void {
  command.option('--json', 'print the address as one JSON line once the server is ready');
  withSettings(command).action(async (options: { json?: boolean }) => {
    const settings = commandSettings(command);
    const server = await startServer(settings, {
      prepare: async (deps) => {
        await declareProviders(deps);
        await createFirstAdministrator(deps, settings);
      },
    });
    // Before the line that tells others to go ahead: they may stop it at once.
    stopOnSignal(server);
    printResult(
      { url: server.url, ...(server.metricsUrl === undefined ? {} : { metrics_url: server.metricsUrl }) },
      `Kennel is ready at ${server.url}${server.metricsUrl === undefined ? '' : `, metrics at ${server.metricsUrl}/metrics`}`,
      options.json,
    );
  });
}

/** SIGTERM or SIGINT: finish and exit 0; a second signal ends at once. */
export function stopOnSignal(server: Pick<RunningServer, 'stop' | 'deps'>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) process.exit(exitCodes.failure);
    stopping = true;
    server.deps.log.info({ signal }, 'shutting down');
    server.stop().then(
      () => process.exit(exitCodes.ok),
      (error: unknown) => {
        server.deps.log.error({ err: error }, 'the shutdown failed');
        process.exit(exitCodes.failure);
      },
    );
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

/** gap 8.3: the first administrator's password is shown once, or kept in a file that only the owner can read. */
async function createFirstAdministrator(deps: Deps, settings: Settings): Promise<void> {
  const { password } = await ensureAdministrator(deps, settings.adminPassword);
  if (password === undefined) return;
  if (process.stderr.isTTY === true) {
    tell(
      `\n  First administrator: ${firstAdministratorName}\n  Password:            ${password}\n  It is shown only now.\n`,
    );
    return;
  }
  const file = initialPasswordFile(settings.dataDir);
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  rmSync(file, { force: true }); // an older file would keep its own, perhaps wider, mode
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  deps.log.info(
    { file, user: firstAdministratorName },
    'made the first administrator: the password is in this file',
  );
}
