import type { Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { recordAudit } from '../audit/index.ts';
import {
  isParameterKey,
  type ParameterKey,
  type ParameterValue,
  parameters,
  valueProblems,
} from './parameters.ts';
import { readParameter, writeParameter } from './store.ts';

interface Write {
  readonly key: string;
  readonly value: unknown;
}

/** What a write brings with it, by parameter: done in its transaction, and told by its audit record. */
export type ParameterEffects = {
  readonly [Key in ParameterKey]?: (
    db: Transaction,
    value: ParameterValue<Key>,
    now: number,
  ) => Promise<Readonly<Record<string, unknown>>>;
};

/** Stores a parameter if all of it is valid; it is in force on every process within a second. */
export async function setParameter(
  deps: Pick<Deps, 'clock' | 'changes'>,
  db: Db,
  origin: Origin,
  { key, value }: Write,
  effects: ParameterEffects,
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
    const brought = await effectOf(effects, key)(db, value, now);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateParameter',
      fields: { key, before, after: value, ...brought },
    });
    return { key, value: await readParameter(db, key) };
  });
}

/** The value was checked against the parameter's schema. */
function effectOf(effects: ParameterEffects, key: ParameterKey) {
  const effect = effects[key] as
    | ((db: Transaction, value: unknown, now: number) => Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  return effect ?? (() => Promise.resolve({}));
}
