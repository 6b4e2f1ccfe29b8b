import type { Node } from '../graph.ts';
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
    ['S-1-5-32-544', 'S-1-5-32-569', 'S-1-5-32-562', 'S-1-5-32-559', 'S-1-5-32-557', 'S-1-5-9'],
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

const roles = [
  '62E90394-69F5-4237-9190-012177145E10',
  'E00E864A-17C5-4A4B-9C06-F5B95A8D5BD8',
  '7BE44C8A-ADAF-4E2A-84D6-AB2649E08A13',
  'E8611AB8-C189-46E8-94E1-60213AB1F814',
  '9B895D92-2CD3-44C7-9D02-A6AC2D5EA5C3',
  'B5A8DCF3-09D5-43A9-A639-8E29EF291470',
  '3A2C62DB-5318-420D-8D74-23AFFEE5D9D5',
  '194AE4CB-B126-40B2-BD5B-6091B380977D',
  '88D8E3E3-8F55-4A1E-953A-9B9898B8876B',
];

export function drawAzure(sketch: Sketch): void {
  const azure = (id: string, kind: string): Node => sketch.node(id, [kind], { tenantid: 'TENANT-1' });
  const tenant = azure('TENANT-1', 'AZTenant');
  const users = ['AZUSER-1', 'AZUSER-2'].map((id) => azure(id, 'AZUser'));
  const group = azure('AZGROUP-1', 'AZGroup');
  const principal = azure('AZSP-1', 'AZServicePrincipal');
  if (sketch.holds()) sketch.edge(azure('AZAPP-1', 'AZApp'), 'AZRunsAs', principal);
  sketch.edgesFrom(sketch.few([...users, principal]), 'AZMemberOf', group);
  for (const id of sketch.some(roles, 0.2))
    sketch.edgesFrom(
      sketch.few([...users, group, principal]),
      sketch.pick(['AZHasRole', 'AZRoleEligible']),
      azure(`${id}@TENANT-1`, 'AZRole'),
    );
  const management = azure('AZMG-1', 'AZManagementGroup');
  const subscription = azure('AZSUB-1', 'AZSubscription');
  const resources = azure('AZRG-1', 'AZResourceGroup');
  sketch.edge(tenant, 'AZContains', sketch.pick([...users, management]));
  if (sketch.holds()) sketch.edge(management, 'AZContains', subscription);
  if (sketch.holds()) sketch.edge(subscription, 'AZContains', resources);
  sketch.edgesFrom([resources], 'AZContains', sketch.pick([...users, principal, azure('AZVM-1', 'AZVM')]));
}
