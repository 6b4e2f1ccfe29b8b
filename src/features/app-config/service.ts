import type { Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { applyTokenExpiration } from '../api-tokens/index.ts';
import { recordAudit } from '../audit/index.ts';
import { isParameterKey, type ParameterValue, parameters, valueProblems } from './parameters.ts';
import { readParameter, writeParameter } from './store.ts';

interface Write {
  readonly key: string;
  readonly value: unknown;
}

/** Stores a parameter if all of it is valid; it is in force on every process within a second. */
export async function setParameter(
  deps: Pick<Deps, 'clock' | 'changes'>,
  db: Db,
  origin: Origin,
  { key, value }: Write,
  options: { allowProtected?: boolean } = {},
): Promise<{ key: string; value: object }> {
  if (!isParameterKey(key)) {
    throw new AppError('bad_request', `there is no configuration parameter ${quoted(key)}`, {
      context: 'key',
    });
  }
  if (parameters[key].isProtected && options.allowProtected !== true) {
    throw new AppError(
      'forbidden',
      `configuration parameter ${key} is protected: change it with \`kennel config set\``,
      {
        context: 'key',
      },
    );
  }
  const problems = valueProblems(key, value);
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });

  return db.transaction(async (db) => {
    await db.lock(`parameter: ${key}`);
    const before = await readParameter(db, key);
    const now = deps.clock();
    await writeParameter(db, key, value, now);
    const effects =
      key === 'auth.api_token_expiration'
        ? {
            tokens_changed: await applyTokenExpiration(
              db,
              value as ParameterValue<'auth.api_token_expiration'>,
              now,
            ),
          }
        : {};
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateParameter',
      fields: { key, before, after: value, ...effects },
    });
    return { key, value: await readParameter(db, key) };
  });
}
