import { Cache, type Changes } from '../../changes.ts';
import type { Db, Reader } from '../../db/client.ts';
import type { ParameterKey, ParameterValue } from './parameters.ts';
import { readParameter } from './store.ts';

export { parameters } from './parameters.ts';
export { registerAppConfig } from './routes.ts';
export { type ParameterEffects, setParameter } from './service.ts';
export { readParameter, seedParameters } from './store.ts';

/** The parameters in force, at most a second behind a write on another process. */
export interface Parameters {
  get<Key extends ParameterKey>(key: Key): Promise<ParameterValue<Key>>;
  /** As it is in the store at this moment, for a decision inside a transaction. */
  read<Key extends ParameterKey>(db: Reader, key: Key): Promise<ParameterValue<Key>>;
}

export function createParameters(db: Db, changes: Changes): Parameters {
  const cache = new Cache(changes, 100, (key: ParameterKey) => readParameter(db, key));
  return {
    get: async <Key extends ParameterKey>(key: Key) => (await cache.get(key)) as ParameterValue<Key>,
    read: readParameter,
  };
}
