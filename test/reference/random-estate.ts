import type { Edge, Node } from './graph.ts';
import { drawCertificates } from './random/certificates.ts';
import { drawLocalGroups, drawRelaying } from './random/computers.ts';
import { drawContainers, drawPrivileged } from './random/containers.ts';
import { drawCrowd, drawDirectory, drawDomainRights } from './random/directory.ts';
import { Sketch } from './random/sketch.ts';
import { drawTenants } from './random/tenants.ts';
import type { Zone } from './zones.ts';

export interface RandomEstate {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Besides Tier Zero, which is at position 1. */
  readonly zones: readonly Zone[];
  readonly citrixRdp: boolean;
}

/** Nothing is added to an estate of so many nodes. */
const largest = 25;

/** A small estate in which conditions of rules are often nearly met. The same seed gives the same one. */
export function randomEstate(seed: number): RandomEstate {
  const sketch = new Sketch(seed);
  const directory = drawDirectory(sketch);
  if (sketch.chance(0.04)) drawCrowd(sketch, directory);
  const sections = [
    { draw: drawLocalGroups, often: 0.35 },
    { draw: drawCertificates, often: 0.6 },
    { draw: drawDomainRights, often: 0.3 },
    { draw: drawRelaying, often: 0.35 },
    { draw: drawContainers, often: 0.3 },
    { draw: drawPrivileged, often: 0.3 },
    { draw: drawTenants, often: 0.2 },
  ];
  const crowd = sketch.nodes.length > largest ? sketch.nodes.length : 0;
  for (const { draw, often } of sections)
    if (sketch.chance(often) && sketch.nodes.length - crowd < largest) draw(sketch, directory);
  const zones = randomZones(sketch);
  return { nodes: sketch.shuffled(sketch.nodes), edges: sketch.edges, zones, citrixRdp: sketch.chance(0.5) };
}

/** Up to two besides Tier Zero. */
export function randomZones(sketch: Sketch): Zone[] {
  return sketch.some([2, 3], 0.5).map((tagId) => ({
    tagId: tagId + 10,
    position: sketch.chance(0.5) ? tagId : 7 - tagId,
    objectIds: [...sketch.few(sketch.nodes).map((node) => node.objectId), 'NOBODY'],
  }));
}
