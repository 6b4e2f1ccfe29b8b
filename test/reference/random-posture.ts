import { findingKinds, traversable } from './finding-kinds.ts';
import type { Edge, Node } from './graph.ts';
import { drawContainers } from './random/containers.ts';
import { type Directory, drawDirectory } from './random/directory.ts';
import { Sketch } from './random/sketch.ts';
import { drawTenants } from './random/tenants.ts';

/** A graph as it is when everything was derived, with the zone of each node. */
export interface PostureEstate {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly zones: readonly { readonly id: number; readonly position: number }[];
  /** By object id; a node that is in no zone is not among them. */
  readonly tags: ReadonlyMap<string, number>;
}

const dayMs = 86_400_000;
const collectedOn = 20_000;
const kindsOf = (category: string) =>
  findingKinds.flatMap((type) => (type.category === category && type.kind ? [type.kind] : []));
const zoneKinds = kindsOf('zone');
const largeGroupKinds = kindsOf('large-default-group');
const otherKinds = ['MemberOf', 'Contains', ...traversable, 'Enroll', 'GetChanges', 'PublishedTo'];

/** Several environments and zones, and ways between them. The same seed gives the same one. */
export function randomPosture(seed: number): PostureEstate {
  const sketch = new Sketch(seed);
  const directory = drawDirectory(sketch);
  if (sketch.chance(0.3)) drawContainers(sketch, directory);
  if (sketch.chance(0.4)) drawTenants(sketch, directory);
  for (const tenant of sketch.nodes.filter(({ kinds }) => kinds.includes('AZTenant')))
    sketch.describe(tenant, { collected: sketch.pick([true, true, true, false]) });
  for (const user of directory.users) drawRoastable(sketch, user);
  for (const role of sketch.nodes.filter(({ kinds }) => kinds.includes('AZRole'))) drawPolicy(sketch, role);
  for (const domain of directory.domains)
    if (sketch.chance(0.5)) sketch.describe(domain, { collected: true });
  for (let number = sketch.upTo(4); number > 0; number--) drawComputer(sketch, directory, number);
  for (const computer of directory.computers) drawScans(sketch, computer);
  const large = drawLargeGroups(sketch, directory);
  const any = () => sketch.pick(sketch.nodes);
  for (let left = sketch.upTo(20, 2); left > 0; left--) sketch.edge(any(), sketch.pick(zoneKinds), any());
  for (let left = sketch.upTo(15); left > 0; left--) sketch.edge(any(), sketch.pick(otherKinds), any());
  if (large.length > 0)
    for (let left = sketch.upTo(6); left > 0; left--)
      sketch.edge(sketch.pick(large), sketch.pick(largeGroupKinds), any());
  return { nodes: sketch.shuffled(sketch.nodes), edges: sketch.edges, ...drawZones(sketch) };
}

function drawRoastable(sketch: Sketch, user: Node): void {
  sketch.describe(user, {
    enabled: sketch.pick([true, true, false, undefined]),
    hasspn: sketch.anyFlag(),
    dontreqpreauth: sketch.anyFlag(),
    sensitive: sketch.anyFlag(),
  });
}

/** How the role can be taken, if somebody looked. */
function drawPolicy(sketch: Sketch, role: Node): void {
  if (sketch.chance(0.3)) return;
  sketch.describe(role, {
    enduserassignmentrequiresmfa: sketch.pick([false, false, true, undefined]),
    enduserassignmentrequirescapauthenticationcontext: sketch.pick([false, false, true, undefined]),
  });
}

function drawComputer(sketch: Sketch, { domains, computers }: Directory, number: number): void {
  const { objectId } = sketch.pick(domains);
  const computer = sketch.node(`${objectId}-17${number}`, ['Computer'], { domainsid: objectId });
  drawScans(sketch, computer);
  if (sketch.chance(0.5)) sketch.edge(computer, 'HasSession', sketch.pick(computers));
}

/** Active ones mostly, or just not so. */
function drawScans(sketch: Sketch, computer: Node): void {
  const edge = ((collectedOn - 14) * dayMs) / 1000;
  sketch.describe(computer, {
    enabled: sketch.pick([true, true, true, true, true, false, undefined]),
    operatingsystem: sketch.pick([
      'Windows Server 2022',
      'WINDOWS 11',
      'windows',
      'windows',
      'Linux',
      undefined,
    ]),
    lastlogontimestamp: sketch.pick([edge, edge, edge + 1, edge + 86_400 * 10, edge - 1, -1, undefined]),
    '(scanned)': sketch.pick([0, 1, 2, 3, 3, undefined]),
    '(last collected)': sketch.chance(0.9) ? collectedOn * dayMs : undefined,
  });
}

/** Some that only look like large ones, and the account of Kerberos itself. */
function drawLargeGroups(sketch: Sketch, { domains, groups }: Directory): Node[] {
  for (const domain of domains) {
    const { objectId, properties } = domain;
    const belongs = { domainsid: objectId };
    const group = (id: string, kind = 'Group') => groups.push(sketch.node(id, [kind], belongs));
    if (sketch.chance(0.3)) group(`${properties.name}-S-1-5-32-545`);
    if (sketch.chance(0.3)) group(`${objectId}-515`);
    if (sketch.chance(0.2)) group(`${objectId}-1513`);
    if (sketch.chance(0.1)) group(`${objectId}-513`, 'ADLocalGroup');
    if (sketch.chance(0.3))
      sketch.node(`${objectId}-502`, ['User'], { ...belongs, enabled: true, hasspn: true });
  }
  return groups.filter(({ objectId }) => /-(1?513|515|S-1-5-11|S-1-1-0|S-1-5-32-545)$/.test(objectId));
}

/** Tier Zero and up to two more, in any order. */
function drawZones(sketch: Sketch): Pick<PostureEstate, 'zones' | 'tags'> {
  const others = sketch.shuffled([2, 3]).slice(0, sketch.upTo(2));
  const zones = [1, ...others].map((id, index) => ({ id, position: index + 1 }));
  const often = sketch.pick([0.1, 0.3, 0.6]);
  const tags = new Map<string, number>();
  for (const { objectId } of sketch.some(sketch.nodes, often)) tags.set(objectId, sketch.pick(zones).id);
  return { zones: sketch.shuffled(zones), tags };
}
