import { labelOf } from '../kinds.ts';
import type { Estate } from './estate.ts';
import type { ZoneRow } from './store.ts';
import type { ZoneAssignment } from './zones.ts';

/** Names are sorted and found up to here. */
const nameLength = 200;

/** The nodes that are in a zone, with what lists of them are sorted and filtered by, so many at a time. */
export function* zoneRows(
  estate: Estate,
  { tag, source }: ZoneAssignment,
  atOnce: number,
): Generator<ZoneRow[]> {
  let batch: ZoneRow[] = [];
  for (let node = 0; node < estate.size; node++) {
    if (tag[node] === 0) continue;
    const name = estate.property(node, 'name');
    batch.push({
      node: estate.storeId(node),
      tag: tag[node] as number,
      source: source[node] as number,
      objectId: estate.objectId(node),
      name: typeof name === 'string' ? [...name.slice(0, 2 * nameLength)].slice(0, nameLength).join('') : '',
      // The first kind that says what it is, whether or not somebody gave it an icon.
      kind: labelOf(estate.kinds(node), () => true),
      environment: estate.environment(node) ?? '',
    });
    if (batch.length < atOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
