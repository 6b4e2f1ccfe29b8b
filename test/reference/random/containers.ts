import type { Directory } from './directory.ts';
import type { Sketch } from './sketch.ts';

/** A tree of units and containers with policies, for zones. */
export function drawContainers(sketch: Sketch, directory: Directory): void {
  const domain = sketch.pick(directory.domains);
  const belongs = { domainsid: domain.objectId };
  const parts = Array.from({ length: sketch.upTo(5, 1) }, (_, number) => {
    const kind = sketch.pick(['OU', 'Container']);
    return sketch.node(`${kind}-${number}`.toUpperCase(), [kind], {
      ...belongs,
      isaclprotected: sketch.anyFlag(),
    });
  });
  parts.forEach((part, index) => {
    sketch.edge(sketch.pick([domain, ...parts.slice(0, index)]), 'Contains', part);
  });
  const holder = sketch.node('ADMINSDHOLDER', ['Container'], {
    domainsid: sketch.nearly(domain.objectId, sketch.pick(directory.domains).objectId),
    distinguishedname: sketch.nearly(
      `CN=ADMINSDHOLDER,CN=SYSTEM,${domain.properties.distinguishedname}`,
      `CN=ADMINSDHOLDER,CN=OTHER,${domain.properties.distinguishedname}`,
    ),
    isaclprotected: sketch.anyFlag(),
  });
  if (sketch.chance(0.5)) sketch.edge(sketch.pick(parts), 'Contains', holder);
  for (const node of sketch.some([...directory.users, ...directory.computers, ...directory.groups], 0.5))
    sketch.edge(sketch.pick(parts), 'Contains', node);
  for (const name of ['GPO-1', 'GPO-2'])
    sketch.edge(sketch.node(name, ['GPO'], belongs), 'GPLink', sketch.pick([domain, ...parts]));
}

/** People and computers that are in Tier Zero by what they are. */
export function drawPrivileged(sketch: Sketch, { domains, computers, groups, users }: Directory): void {
  const domain = sketch.pick(domains);
  const belongs = { domainsid: domain.objectId };
  const ids = [
    '-500',
    '-502',
    '-516',
    '-517',
    '-518',
    '-526',
    '-527',
    '-521',
    '-548',
    '-549',
    '-550',
    '-551',
  ];
  for (const ending of sketch.some(ids, 0.2))
    sketch.node(`${domain.objectId}${ending}`, [/-50/.test(ending) ? 'User' : 'Group'], belongs);
  for (const ending of sketch.some(
    [
      ...['544', '548', '549', '550', '551', '557', '559', '562', '569'].map(
        (ending) => `S-1-5-32-${ending}`,
      ),
      'S-1-5-9',
    ],
    0.2,
  ))
    sketch.node(`${domain.properties.name}-${ending}`, ['Group'], belongs);
  for (const name of sketch.some(
    ['EXCHANGE TRUSTED SUBSYSTEM', 'EXCHANGE WINDOWS PERMISSIONS', 'DNSADMINS', 'OTHERS'],
    0.2,
  ))
    sketch.node(`${domain.objectId}-17${name.length}`, ['Group'], {
      ...belongs,
      name: `${name}@${domain.properties.name}`,
    });
  const drawn = sketch.nodes.filter((node) => node.kinds.includes('Group') && !groups.includes(node));
  for (const group of drawn)
    sketch.edgesFrom(sketch.few([...users, ...computers, ...groups]), 'MemberOf', group);
  for (const computer of sketch.some(computers, 0.3))
    sketch.describe(
      computer,
      sketch.pick([{ isreadonlydc: true }, { isreadonlydc: false }, { samaccountname: 'AZUREADSSOACC$' }]),
    );
}
