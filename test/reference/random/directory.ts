import type { Node } from '../graph.ts';
import type { Sketch } from './sketch.ts';

/** What every random estate has. */
export interface Directory {
  readonly domains: readonly Node[];
  readonly users: readonly Node[];
  readonly computers: readonly Node[];
  /** Local ones too, once they are drawn. */
  readonly groups: Node[];
  /** A few that get most of the rights, so that they often have several together. */
  readonly cast: Node[];
}

const levels = ['2008 R2', '2012', '2012 R2', '2016', undefined];
const heuristics = [undefined, undefined, '0000002', '0'.repeat(29), `${'0'.repeat(28)}1`];

const idOf = (number: number) => `S-1-5-21-${number}-${number}-${number}`;

export function drawDirectory(sketch: Sketch): Directory {
  const domains = ['A', 'B', 'C'].slice(0, sketch.pick([1, 1, 2, 2, 3])).map((letter, index) =>
    sketch.node(idOf(index + 1), ['Domain'], {
      name: `${letter}.TEST`,
      domainsid: idOf(index + 1),
      distinguishedname: sketch.nearly(`DC=${letter},DC=TEST`),
      collected: sketch.pick([true, true, true, false, undefined]),
      netbios: sketch.nearly(letter),
      functionallevel: sketch.pick(levels),
      dsheuristics: sketch.pick(heuristics),
    }),
  );
  drawTrusts(sketch, domains);
  const users = many(sketch, 4, (number) => drawPrincipal(sketch, domains, 'User', 1100 + number));
  const computers = many(sketch, 3, (number) => drawPrincipal(sketch, domains, 'Computer', 1200 + number));
  const groups = [
    ...many(sketch, 4, (number) => drawPrincipal(sketch, domains, 'Group', 1300 + number)),
    ...domains.flatMap((domain) => drawWellKnown(sketch, domain)),
  ];
  drawMemberships(sketch, groups, [...users, ...computers]);
  const everybody = [...users, ...computers, ...groups];
  const cast = [
    ...sketch.few(everybody),
    ...sketch.few(everybody),
    sketch.pick(users),
    sketch.pick(computers),
  ];
  if (sketch.chance(0.2)) cast.push(sketch.node(`${idOf(1)}-1400`, [], { domainsid: idOf(1) }));
  drawOwners(sketch, everybody, everybody);
  return { domains, users, computers, groups, cast: [...new Set(cast)] };
}

function many(sketch: Sketch, most: number, draw: (number: number) => Node): Node[] {
  return Array.from({ length: sketch.upTo(most, 1) }, (_, number) => draw(number));
}

function drawTrusts(sketch: Sketch, domains: readonly Node[]): void {
  for (const from of domains)
    for (const to of domains) {
      if (from.objectId >= to.objectId || sketch.chance(0.3)) continue;
      const kind = sketch.pick(['SameForestTrust', 'SameForestTrust', 'CrossForestTrust']);
      const ways = sketch.pick(['both', 'both', 'there', 'back']);
      if (ways !== 'back' && sketch.holds()) sketch.edge(from, kind, to);
      if (ways !== 'there' && sketch.holds()) sketch.edge(to, kind, from);
      if (sketch.chance(0.4)) drawTrustAccount(sketch, from, to);
      if (sketch.chance(0.4)) drawTrustAccount(sketch, to, from);
    }
}

/** What a domain keeps for another one, if that trusts it. */
function drawTrustAccount(sketch: Sketch, home: Node, other: Node): void {
  const name = `${other.properties.netbios}$`;
  sketch.node(`${home.objectId}-16${other.objectId.slice(-1)}`, ['User'], {
    domainsid: home.objectId,
    samaccountname: sketch.nearly(sketch.pick([name, name.toLowerCase()]), 'X$'),
  });
}

function drawPrincipal(sketch: Sketch, domains: readonly Node[], kind: string, rid: number): Node {
  const domain = sketch.pick(domains);
  const objectId = `${domain.objectId}-${rid}`;
  const managed = kind === 'User' ? { gmsa: sketch.pick([true, false, undefined, undefined]) } : {};
  return sketch.node(objectId, [kind], {
    name: sketch.nearly(`${kind}${rid}@${domain.properties.name}`.toUpperCase()),
    domainsid: sketch.nearly(domain.objectId),
    enabled: sketch.anyFlag(),
    adminsdholderprotected: sketch.anyFlag(),
    isaclprotected: sketch.anyFlag(),
    ...managed,
    ...(kind === 'User' && sketch.chance(0.2) ? { msa: true } : {}),
    ...(kind === 'Computer'
      ? { haslaps: sketch.anyFlag(), restrictoutboundntlm: sketch.pick([false, false, true, undefined]) }
      : {}),
  });
}

/** Well-known groups that were collected, in part; others that only look like them. */
function drawWellKnown(sketch: Sketch, domain: Node): Node[] {
  const properties = { domainsid: domain.objectId, isaclprotected: sketch.anyFlag() };
  const named = (id: string, name: string) =>
    sketch.node(id, ['Group'], { ...properties, name: `${name}@${domain.properties.name}` });
  const groups = [
    () => named(`${domain.objectId}-512`, 'DOMAIN ADMINS'),
    () => named(`${domain.objectId}-519`, 'ENTERPRISE ADMINS'),
    () => named(`${domain.objectId}-513`, 'DOMAIN USERS'),
    () => named(`${domain.objectId}-515`, 'DOMAIN COMPUTERS'),
    () => named(`${domain.objectId}-525`, 'PROTECTED USERS'),
    () => named(`${domain.objectId}-1512`, 'NO ADMINS'),
    () => named(`${domain.properties.name}-S-1-5-11`, 'AUTHENTICATED USERS'),
    () => named(`${domain.properties.name}-S-1-5-11`, 'AUTHENTICATED USERS'),
    () => named(`${domain.properties.name}-S-1-1-0`, 'EVERYONE'),
    () => named(`${domain.properties.name}-S-1-5-111`, 'NOBODY'),
  ];
  if (sketch.chance(0.2))
    sketch.node(`${domain.objectId}-501`, ['User'], {
      ...properties,
      name: 'GUEST',
      enabled: sketch.anyFlag(),
    });
  if (sketch.chance(0.1)) sketch.node(`${domain.objectId}-${sketch.pick([516, 518, 526, 1103])}`, []);
  return [...new Set(sketch.some(groups, 0.25).map((draw) => draw()))];
}

/** Groups in groups, now and then in a circle. */
function drawMemberships(sketch: Sketch, groups: readonly Node[], others: readonly Node[]): void {
  for (const group of groups) {
    sketch.edgesFrom(sketch.some(others, 0.25), 'MemberOf', group);
    for (const inner of sketch.some(groups, 0.2))
      if (inner !== group || sketch.chance(0.1)) sketch.edge(inner, 'MemberOf', group);
  }
}

export function drawOwners(sketch: Sketch, owners: readonly Node[], targets: readonly Node[]): void {
  for (const target of sketch.some(targets, 0.15)) {
    if (sketch.chance(0.7)) sketch.edge(sketch.pick(owners), 'OwnsRaw', target);
    if (sketch.chance(0.5)) sketch.edgesFrom(sketch.few(owners), 'WriteOwnerRaw', target);
  }
}

export function drawDomainRights(sketch: Sketch, { domains, cast }: Directory): void {
  for (const domain of domains)
    for (const kind of ['GetChanges', 'GetChangesAll', 'GetChangesInFilteredSet'])
      if (sketch.chance(0.8)) sketch.edgesFrom(sketch.few(cast), kind, domain);
}

/** So many members that a program may well keep them in another way. */
export function drawCrowd(sketch: Sketch, { groups, cast }: Directory): void {
  const size = sketch.upTo(150, 60);
  for (let number = 0; number < size; number++) {
    const user = sketch.node(`${idOf(1)}-${5000 + number}`, ['User'], {
      name: `USER${number}`,
      domainsid: idOf(1),
    });
    sketch.edge(user, 'MemberOf', sketch.pick(sketch.chance(0.9) ? groups.slice(0, 2) : groups));
    if (sketch.chance(0.03)) cast.push(user);
  }
}
