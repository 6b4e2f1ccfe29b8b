import { statfs } from 'node:fs/promises';
import Type from 'typebox';
import { describeHold, findClockHold } from '../../clock-hold.ts';
import { isMigrated } from '../../db/open.ts';
import type { Deps } from '../../deps.ts';
import { AppError, type Problem } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { countFailing } from '../clients/index.ts';

const minFreeBytes = 64 * 1024 * 1024;

/** For whoever watches the process: alive says that it runs, ready says that it can do its work. */
export function registerHealth(register: Register, deps: Deps, isShuttingDown: () => boolean): void {
  // Interfaces written for other servers of this API ask without the second word.
  for (const [id, url] of Object.entries({ GetLiveness: '/health/live', GetHealth: '/health' }))
    register({
      id,
      method: 'GET',
      url,
      tag: 'Health',
      summary: 'Whether the process runs; touches nothing else',
      access: 'public',
      rateLimited: false,
      probe: true,
      volatile: true,
      answer: Struct({ status: Type.String() }),
      answerExample: { status: 'live' },
      handle: async () => ({ status: 'live' }),
    });

  register({
    id: 'GetReadiness',
    method: 'GET',
    url: '/health/ready',
    tag: 'Health',
    summary:
      'Whether requests can be served: store reachable, schema up to date, disk not full, not shutting down',
    access: 'public',
    rateLimited: false,
    probe: true,
    volatile: true,
    answer: Struct({
      status: Type.String(),
      details: Type.Array(Struct({ context: Type.String(), message: Type.String() }), {
        description:
          'What somebody should look at although requests can be served, such as a clock that is far away',
      }),
      collectors_failing: Type.Integer({ description: 'Collectors whose latest jobs ended badly' }),
    }),
    answerExample: { status: 'ready', details: [], collectors_failing: 0 },
    errors: { unavailable: 'the store cannot be reached' },
    handle: async () => {
      const problems = isShuttingDown()
        ? [problem('shutdown', 'the server is shutting down')]
        : await notReady(deps);
      const [first] = problems;
      if (first !== undefined)
        throw new AppError('unavailable', first.message, { problems, retryAfterSeconds: 5 });
      return {
        status: 'ready',
        details: await worthALook(deps),
        collectors_failing: await countFailing(deps.db),
      };
    },
  });
}

async function worthALook({ db, clock }: Deps): Promise<Problem[]> {
  const hold = await findClockHold(db, clock());
  return hold === undefined ? [] : [problem('clock', describeHold(hold))];
}

async function notReady(deps: Deps): Promise<Problem[]> {
  return [...(await storeProblems(deps)), ...(await diskProblems(deps.settings.dataDir))];
}

async function storeProblems(deps: Deps): Promise<Problem[]> {
  try {
    const migrated = await isMigrated({ db: deps.db, graph: deps.graph });
    return migrated ? [] : [problem('schema', 'migrations are pending')];
  } catch (error) {
    deps.log.warn({ err: error }, 'the store is not ready');
    return [problem('store', 'the store cannot be reached')];
  }
}

async function diskProblems(dataDir: string): Promise<Problem[]> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize < minFreeBytes
      ? [problem('disk', 'the disk of the data directory is almost full')]
      : [];
  } catch (error) {
    // Without a data directory (PostgreSQL and KENNEL_SECRET given) there is no disk to fill.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function problem(context: string, message: string): Problem {
  return { context, message };
}
