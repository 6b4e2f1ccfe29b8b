import { insertGraph } from '../../src/graph/store.ts';
import type { TestServer } from '../server/harness.ts';
import { analyseNow } from './analysis.ts';

export const domain = 'S-1-5-21-7';
export const idOf = (rid: number) => `${domain}-${rid}`;

const node = (objectId: string, kind: string, name: string, properties: Record<string, unknown> = {}) => ({
  objectId,
  kinds: [kind, 'Base'],
  name,
  properties: { domainsid: domain, ...properties },
});

/**
 * ROOT is in Tier Zero with ADMINS; five principals in all. Findings:
 * HELP GenericAll ADMINS (exposes BOB, by way of OPS: 1 of 5), CAT ForceChangePassword ROOT (exposes CAT),
 * DAN has a service name, DOMAIN USERS GenericAll SHED.
 */
const nodes = [
  node(domain, 'Domain', 'CORP', { collected: true }),
  node(idOf(512), 'Group', 'ADMINS'),
  node(idOf(513), 'Group', 'DOMAIN USERS'),
  node(idOf(1000), 'User', 'ROOT'),
  node(idOf(1001), 'User', 'BOB'),
  node(idOf(1002), 'User', 'CAT'),
  node(idOf(1003), 'User', 'DAN', { enabled: true, hasspn: true }),
  node(idOf(1004), 'Computer', 'SHED'),
  node(idOf(1101), 'Group', 'HELP'),
  node(idOf(1102), 'Group', 'OPS'),
];
const edges = [
  { start: idOf(1000), kind: 'MemberOf', end: idOf(512) },
  { start: idOf(1102), kind: 'MemberOf', end: idOf(1101) },
  { start: idOf(1001), kind: 'MemberOf', end: idOf(1102) },
  { start: idOf(1101), kind: 'GenericAll', end: idOf(512) },
  { start: idOf(1002), kind: 'ForceChangePassword', end: idOf(1000) },
  { start: idOf(513), kind: 'GenericAll', end: idOf(1004) },
];

export function insertEstate(server: TestServer): Promise<void> {
  return server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
}

/** Asks for an analysis and runs it, a while after whatever was before. */
export async function analyseAgain(server: TestServer, token: string): Promise<void> {
  server.advance(60_000);
  await server.call('PUT', '/api/v2/analysis', { token });
  await analyseNow(server.deps);
  server.advance(60_000);
}

export function addEdge(server: TestServer, start: number, kind: string, end: number): Promise<void> {
  return server.deps.graph.transaction((graph) =>
    insertGraph(graph, [], [{ start: idOf(start), kind, end: idOf(end) }], server.now()),
  );
}

export async function removeEdge(server: TestServer, start: number, kind: string, end: number) {
  await server.deps.graph.transaction((graph) =>
    graph.execute(
      `delete from edges where start_id = (select id from nodes where object_id = $1)
         and kind_id = (select id from edge_kinds where name = $2)
         and end_id = (select id from nodes where object_id = $3)`,
      [idOf(start), kind, idOf(end)],
    ),
  );
}
