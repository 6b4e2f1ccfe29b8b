import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../config.ts';
import { lockDataDir } from '../db/server-lock.ts';
import { playCollectors } from '../demo/collectors.ts';
import { demoCommands, moreCommands, variables } from '../demo/commands.ts';
import { collectors } from '../demo/company.ts';
import { type FilledEstate, fillEstate } from '../demo/fill.ts';
import { demoText } from '../demo/text.ts';
import { ensureAdministrator, firstAdministratorName } from '../features/users/index.ts';
import { CommandError, printResult } from './output.ts';
import { PercentLine } from './progress.ts';
import { type RunningServer, startServer } from './run-server.ts';
import { stopOnSignal } from './serve.ts';
import { commandSettings, withSettings } from './settings.ts';
import { issueClientToken, issueUserToken } from './token.ts';

const markerFile = '.kennel-demo';
const tokenLifetimeMs = 30 * 24 * 3_600_000;

export function define(command: Command): void {
  command.option('--json', 'print everything as one JSON line once the server is ready');
  withSettings(command).action(async (options: { json?: boolean }) => {
    const settings = demoSettings(command);
    const lock = claimDirectory(settings.dataDir);
    try {
      const { server, estate, password } = await startDemo(settings, new PercentLine(options.json !== true));
      const player = playCollectors(server.deps, estate.collectorIds);
      stopOnSignal({
        deps: server.deps,
        stop: async () => {
          await player.stop();
          await server.stop();
          lock.release();
        },
      });
      await announce(server, estate, password, options.json);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

/** The demonstration never touches the data of a normal start: no other store, no other directory. */
function demoSettings(command: Command): Settings {
  const only = { ignore: ['DATABASE_URL', 'DATABASE_URL_FILE'], defaults: { KENNEL_LOG_LEVEL: 'warn' } };
  const { dataDir } = commandSettings(command, only);
  return commandSettings(command, { ...only, overrides: { KENNEL_DATA_DIR: join(dataDir, 'demo') } });
}

/** Clears the directory of an earlier demonstration; refuses one that is anything else, or in use. */
function claimDirectory(dir: string): { release(): void } {
  const marker = join(dir, markerFile);
  if (existsSync(dir)) {
    if (!lstatSync(dir).isDirectory() || (!existsSync(marker) && readdirSync(dir).length > 0)) {
      throw new CommandError(
        `${dir} was not made by the demonstration (it has no ${markerFile}): move it away first`,
      );
    }
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(marker, 'Everything in this directory is deleted when the demonstration starts.\n');
  const lock = lockDataDir(dir, `another demonstration is running in ${dir}: stop it first`, 'demo.lock');
  for (const entry of readdirSync(dir)) {
    if (entry !== markerFile && !entry.startsWith('demo.lock')) rmSync(join(dir, entry), { recursive: true });
  }
  return lock;
}

async function startDemo(
  settings: Settings,
  progress: PercentLine,
): Promise<{ server: RunningServer; estate: FilledEstate; password: string }> {
  let estate: FilledEstate | undefined;
  let password = settings.adminPassword;
  const server = await startServer(settings, {
    // It is made anew at every start.
    waitsForDisk: false,
    prepare: async (deps) => {
      password = (await ensureAdministrator(deps, settings.adminPassword)).password ?? settings.adminPassword;
      estate = await fillEstate(deps, (now) => progress.update(now));
    },
  }).finally(() => progress.stop());
  if (estate === undefined || password === undefined) throw new Error('the demonstration was not filled');
  return { server, estate, password };
}

async function announce(
  server: RunningServer,
  estate: FilledEstate,
  password: string,
  asJson: boolean | undefined,
): Promise<void> {
  const user = await issueUserToken(server.deps, firstAdministratorName, tokenLifetimeMs);
  const client = await issueClientToken(server.deps, collectors[0].name, tokenLifetimeMs);
  const access = { url: server.url, token: user.token, clientToken: client.token };
  const now = server.deps.clock();
  const facts = {
    url: server.url,
    username: firstAdministratorName,
    password,
    token: user.token,
    client_token: client.token,
    curl: demoCommands(access, estate),
    more: moreCommands(access, now),
  };
  const short = { curl: demoCommands(variables, estate), more: moreCommands(variables, now) };
  printResult(facts, demoText({ ...facts, ...short }, server.deps.settings.dataDir), asJson);
}
