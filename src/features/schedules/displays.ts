import type { Static } from 'typebox';
import type { Reader } from '../../db/client.ts';
import { type Hydration, readScopes, type Scope } from '../jobs/index.ts';
import { type EventDisplay, type EventWish, idsOf, toEventDisplay } from './schema.ts';
import type { EventRow } from './store.ts';

/** Schedules as lists show them, with one look at the graph for all. */
export async function readEventDisplays(
  graph: Reader,
  events: readonly EventRow[],
  { hydrate_ous = true, hydrate_domains = true }: Hydration,
): Promise<Static<typeof EventDisplay>[]> {
  const scopes = await readScopes(
    graph,
    events.map(({ ous, domains }) => ({
      ous: hydrate_ous ? ous : '[]',
      domains: hydrate_domains ? domains : '[]',
    })),
  );
  return events.map((event, index) => {
    const { ous = [], domains = [] } = scopes[index] ?? {};
    const ids = idsOf(event);
    return toEventDisplay(event, {
      ous: hydrate_ous ? ous : ids.ous,
      domains: hydrate_domains ? domains : ids.domains,
    });
  });
}

/** What is asked for, before it is stored: nothing may fail after the commit. */
export async function readWishedScope(graph: Reader, { ous, domains }: EventWish): Promise<Scope> {
  const asText = (ids: readonly string[] | null | undefined) => JSON.stringify([...new Set(ids ?? [])]);
  const [scope] = await readScopes(graph, [{ ous: asText(ous), domains: asText(domains) }]);
  return scope ?? { ous: [], domains: [] };
}
