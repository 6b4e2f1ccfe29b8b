import assert from 'node:assert/strict';
import { serverItself } from '../../src/caller.ts';
import type { Deps } from '../../src/deps.ts';
import { askFor } from '../../src/features/analysis/index.ts';
import { insertGraph, type NewEdge, type NewNode } from '../../src/graph/store.ts';
import type { TestServer } from '../server/harness.ts';
import { analyseNow } from './analysis.ts';

export const north = 'S-1-5-21-1-1-1';
export const south = 'S-1-5-21-2-2-2';

const node = (
  domain: string,
  rid: string,
  kind: string,
  name: string,
  properties: Record<string, unknown> = {},
): NewNode => ({
  objectId: rid === '' ? domain : `${domain}-${rid}`,
  kinds: [kind, 'Base'],
  name,
  properties: { name, domainsid: domain, domain: 'D', ...properties },
});

export const user = (domain: string, rid: number, properties: Record<string, unknown> = {}) =>
  node(domain, String(rid), 'User', `USER ${rid}`, { enabled: true, ...properties });

/** Two domains with four users each; in the north the first can take over the administrators, in the south none. */
export const estate: readonly NewNode[] = [north, south].flatMap((domain) => [
  node(domain, '', 'Domain', domain === north ? 'NORTH' : 'SOUTH', { collected: true }),
  node(domain, '512', 'Group', `ADMINS OF ${domain}`),
  ...[1101, 1102, 1103, 1104].map((rid) => user(domain, rid)),
]);

export const takesOver = (domain: string, rid: number): NewEdge => ({
  start: `${domain}-${rid}`,
  kind: 'GenericAll',
  end: `${domain}-512`,
});

export async function add(deps: Deps, nodes: readonly NewNode[], edges: readonly NewEdge[]): Promise<void> {
  await deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, deps.clock()));
}

export async function remove(deps: Deps, { start, end }: NewEdge): Promise<void> {
  const count = await deps.graph.transaction((graph) =>
    graph.execute(
      `delete from edges where start_id = (select id from nodes where object_id = $1)
       and end_id = (select id from nodes where object_id = $2)`,
      [start, end],
    ),
  );
  assert.equal(count, 1);
}

/** Tells when its results were there. */
export async function analyse(deps: Deps): Promise<number> {
  await deps.db.transaction((db) => askFor(db, serverItself, 'request', deps.clock()));
  assert.equal(await analyseNow(deps), 1);
  const row = await deps.graph.one<{ at: number }>('select max(published_at) as at from analyses');
  return row?.at ?? 0;
}

/**
 * Four runs, an hour apart; tells when each was published. Who can take over the administrators of their domain:
 *
 *           first            second               third                           fourth
 * north     1101             1101 1102 1103       1102; 1204 can be roasted       1101 1102; 1204 can be roasted
 * south     nobody           1101                 1101; 1201 is one of them       the same
 */
export async function fourRuns(server: TestServer): Promise<number[]> {
  const { deps } = server;
  const runs: number[] = [];
  const run = async () => {
    runs.push(await analyse(deps));
    server.advance(3_600_000);
  };
  await add(deps, estate, [takesOver(north, 1101)]);
  await run();
  await add(deps, [], [takesOver(north, 1102), takesOver(north, 1103), takesOver(south, 1101)]);
  await run();
  await remove(deps, takesOver(north, 1101));
  await remove(deps, takesOver(north, 1103));
  const administrator = { start: `${south}-1201`, kind: 'MemberOf', end: `${south}-512` };
  await add(deps, [user(north, 1204, { hasspn: true }), user(south, 1201)], [administrator]);
  await run();
  await add(deps, [], [takesOver(north, 1101)]);
  await run();
  return runs;
}
