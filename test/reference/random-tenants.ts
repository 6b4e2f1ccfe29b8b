import { Sketch } from './random/sketch.ts';
import { drawTenants } from './random/tenants.ts';
import type { RandomEstate } from './random-estate.ts';
import { randomZones } from './random-estate.ts';

/** Tenants and a few people of a directory. The same seed gives the same ones. */
export function randomTenants(seed: number): RandomEstate {
  const sketch = new Sketch(seed);
  const people = Array.from({ length: sketch.upTo(3, 1) }, (_, at) =>
    sketch.node(`S-1-5-21-1-1-1-${1100 + at}`, [sketch.pick(['User', 'User', 'User', 'Group'])]),
  );
  if (sketch.chance(0.3)) people.push(sketch.node('S-1-5-21-1-1-1-1200', []));
  drawTenants(sketch, { users: people });
  const zones = randomZones(sketch);
  return { nodes: sketch.shuffled(sketch.nodes), edges: sketch.edges, zones, citrixRdp: false };
}
