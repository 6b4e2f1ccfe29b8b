import type { Node } from '../graph.ts';
import type { Directory } from './directory.ts';
import type { Sketch } from './sketch.ts';

/** Local groups of some computers, and who may log on to them. */
export function drawLocalGroups(sketch: Sketch, directory: Directory): void {
  for (const computer of sketch.some(directory.computers, 0.7)) {
    const groups = sketch
      .some(['544', '555', '555', '562', '580', '1544'], 0.45)
      .map((ending) =>
        sketch.node(`${computer.objectId}-${ending}`, ['ADLocalGroup'], { name: `LOCAL ${ending}` }),
      );
    if (sketch.chance(0.15)) groups.push(drawBuiltIn(sketch, computer));
    if (sketch.chance(0.3))
      groups.push(
        sketch.node(`${computer.objectId}-1008`, ['ADLocalGroup'], {
          name: `DIRECT ACCESS USERS@${computer.objectId}`,
        }),
      );
    for (const group of groups) {
      if (sketch.holds()) sketch.edge(group, 'LocalToComputer', computer);
      sketch.edgesFrom(sketch.few([...directory.cast, computer]), 'MemberOfLocalGroup', group);
    }
    const mayLogOn = [...groups, ...directory.groups, ...directory.cast, computer];
    sketch.edgesFrom(sketch.few(mayLogOn), 'RemoteInteractiveLogonRight', computer);
    directory.groups.push(...groups);
    if (groups.length > 0 && sketch.chance(0.3)) directory.cast.push(sketch.pick(groups));
  }
}

/** On a domain controller the domain's own groups are the local ones. */
function drawBuiltIn(sketch: Sketch, computer: Node): Node {
  const ending = sketch.pick(['544', '555', '562', '580']);
  return sketch.node(`A.TEST-S-1-5-32-${ending}`, ['Group', 'ADLocalGroup'], {
    name: `BUILT-IN ${ending}`,
    domainsid: computer.properties.domainsid,
  });
}

/** Computers that can be made to log on elsewhere, and controllers that take such logons. */
export function drawRelaying(sketch: Sketch, { domains, computers, groups }: Directory): void {
  for (const computer of computers) {
    sketch.describe(
      computer,
      sketch.spoilOne({ restrictoutboundntlm: false, smbsigning: false, webclientrunning: true }),
    );
    if (sketch.chance(0.5)) drawController(sketch, computer, sketch.pick(domains));
  }
  for (const domain of domains)
    if (sketch.chance(0.3))
      sketch.edgesFrom(
        sketch.few([...computers, ...groups]),
        'MemberOf',
        sketch.node(`${domain.objectId}-525`, ['Group'], {
          domainsid: domain.objectId,
          name: 'PROTECTED USERS',
        }),
      );
  const computer = sketch.pick(computers);
  const administrators = sketch.node(`${computer.objectId}-544`, ['ADLocalGroup'], { name: 'LOCAL 544' });
  sketch.edge(administrators, 'LocalToComputer', computer);
  sketch.edgesFrom(sketch.few([...computers, ...groups]), 'MemberOfLocalGroup', administrators);
}

export function drawController(sketch: Sketch, computer: Node, domain: Node): void {
  sketch.edge(computer, 'DCFor', domain);
  sketch.describe(
    computer,
    sketch.spoilOne({
      ldapsigning: false,
      ldapavailable: true,
      ldapsepa: false,
      ldapsavailable: true,
      certificatemappingmethodsraw: sketch.pick([4, 31, 31, 31, -1, 24]),
      strongcertificatebindingenforcementraw: sketch.pick([-1, 0, 1, 1, 2]),
    }),
  );
}
