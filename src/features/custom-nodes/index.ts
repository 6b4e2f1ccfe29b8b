import { Cache, type Changes } from '../../changes.ts';
import type { Db } from '../../db/client.ts';
import type { Icon } from '../../graph/kinds.ts';
import { listCustomNodes } from './store.ts';

export { registerCustomNodes } from './routes.ts';
export { insertCustomNode, seedBuiltInKinds } from './store.ts';

/** How every registered kind is shown, built-in and custom. */
export interface KindIcons {
  all(): Promise<ReadonlyMap<string, Icon>>;
}

export function createKindIcons(db: Db, changes: Changes): KindIcons {
  const cache = new Cache(changes, 1, async (_all: 'all') => {
    const rows = await listCustomNodes(db);
    return new Map<string, Icon>(
      rows.map((row) => [
        row.kind_name,
        { type: 'font-awesome', name: row.icon_name, color: row.icon_color },
      ]),
    );
  });
  return { all: async () => (await cache.get('all')) ?? new Map() };
}
