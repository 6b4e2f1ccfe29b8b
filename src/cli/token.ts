import type { Command } from 'commander';
import { commandLine } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { readParameter } from '../features/app-config/index.ts';
import { recordAudit } from '../features/audit/index.ts';
import { type Audience, createSession, Tokens } from '../features/auth/index.ts';
import { findClientByName } from '../features/clients/registry/index.ts';
import { findUserByName, firstAdministratorName } from '../features/users/index.ts';
import { parseIsoDuration } from '../values/duration.ts';
import { formatRfc3339 } from '../values/time.ts';
import { CommandError, exitCodes, printResult } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

const hour = 3_600_000;

export function define(command: Command): void {
  command
    .option('--user <name>', `whose token (default: ${firstAdministratorName})`)
    .option('--client <name>', "a collector's token instead of a user's")
    .option(
      '--ttl <duration>',
      'how long it lasts, as an ISO 8601 duration such as PT8H (default: as a sign-in; one hour for a collector)',
    )
    .option('--json', 'print one JSON line');
  withSettings(command).action(
    async (options: { user?: string; client?: string; ttl?: string; json?: boolean }) => {
      if (options.user !== undefined && options.client !== undefined) {
        throw new CommandError('give either --user or --client', exitCodes.usage);
      }
      const ttl = options.ttl === undefined ? undefined : parseIsoDuration(options.ttl);
      if (options.ttl !== undefined && (ttl === undefined || ttl < 1000 || ttl > 3650 * 24 * hour)) {
        throw new CommandError(
          `--ttl must be an ISO 8601 duration from PT1S to P3650D, but is ${options.ttl}`,
          exitCodes.usage,
        );
      }
      const issued = await withStore(commandSettings(command), (deps) =>
        options.client === undefined
          ? issueUserToken(deps, options.user ?? firstAdministratorName, ttl)
          : issueClientToken(deps, options.client, ttl),
      );
      printResult(
        { token: issued.token, expires_at: formatRfc3339(issued.expiresAt) },
        issued.token,
        options.json,
      );
    },
  );
}

export async function issueUserToken(deps: Deps, name: string, ttlMs?: number) {
  const user = await findUserByName(deps.db, name);
  if (user === undefined) throw new CommandError(`there is no user ${name}`);
  if (user.is_disabled !== 0) throw new CommandError(`user ${name} is disabled`);
  const lifetime = ttlMs ?? (await readParameter(deps.db, 'auth.session_ttl_hours')).hours * hour;
  return issue(deps, 'user', user.id, name, lifetime);
}

export async function issueClientToken(deps: Deps, name: string, ttlMs: number = hour) {
  const client = await findClientByName(deps.db, name);
  if (client === undefined) throw new CommandError(`there is no collector ${name}`);
  return issue(deps, 'client', client.id, name, ttlMs);
}

async function issue(deps: Deps, audience: Audience, subject: string, name: string, lifetime: number) {
  const now = deps.clock();
  const expiresAt = now + lifetime;
  const sessionId = await deps.db.transaction(async (db) => {
    await recordAudit(db, commandLine, now, {
      action: 'IssueToken',
      fields: { [audience]: { id: subject, name } },
    });
    return createSession(db, audience, subject, now, expiresAt);
  });
  const tokens = new Tokens(deps.keys, deps.instanceId, deps.clock);
  return { token: await tokens.sign({ audience, subject, sessionId, expiresAt }, now), expiresAt };
}
