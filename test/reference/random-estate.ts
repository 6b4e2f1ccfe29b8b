import type { Edge, Node } from './graph.ts';
import { drawCertificates } from './random/certificates.ts';
import { drawLocalGroups, drawRelaying } from './random/computers.ts';
import { drawAzure, drawContainers, drawPrivileged } from './random/containers.ts';
import { drawDirectory, drawDomainRights } from './random/directory.ts';
import { Sketch } from './random/sketch.ts';
import type { Zone } from './zones.ts';

export interface RandomEstate {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Besides Tier Zero, which is at position 1. */
  readonly zones: readonly Zone[];
  readonly citrixRdp: boolean;
}

/** A small estate in which conditions of rules are often nearly met. The same seed gives the same one. */
export function randomEstate(seed: number): RandomEstate {
  const sketch = new Sketch(seed);
  const directory = drawDirectory(sketch);
  const certificates = sketch.chance(0.5);
  if (certificates) drawCertificates(sketch, directory);
  if (sketch.chance(0.25)) drawDomainRights(sketch, directory);
  if (sketch.chance(certificates ? 0.1 : 0.4)) drawLocalGroups(sketch, directory);
  if (sketch.chance(0.3)) drawRelaying(sketch, directory);
  if (sketch.chance(certificates ? 0.1 : 0.4)) drawContainers(sketch, directory);
  if (sketch.chance(certificates ? 0.1 : 0.3)) drawPrivileged(sketch, directory);
  if (sketch.chance(certificates ? 0 : 0.2)) drawAzure(sketch);
  const zones = sketch.some([2, 3], 0.5).map((tagId) => ({
    tagId: tagId + 10,
    position: sketch.chance(0.5) ? tagId : 7 - tagId,
    objectIds: sketch.few(sketch.nodes).map((node) => node.objectId),
  }));
  return { nodes: sketch.nodes, edges: sketch.edges, zones, citrixRdp: sketch.chance(0.5) };
}
