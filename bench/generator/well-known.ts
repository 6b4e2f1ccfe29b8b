import {
  builtIn,
  common,
  container,
  type Domain,
  type Principal,
  principal,
  user,
  wellKnown,
} from './domain.ts';
import { inherited, standard, team } from './rights.ts';

/** The groups that every domain has: in plan.ts it is told how many. */
export function makeWellKnownGroups(domain: Domain, others: readonly Domain[]): object[] {
  const ofDomain: [rid: number, name: string, members: Principal[]][] = [
    [512, 'Domain Admins', [user(domain, 0), user(domain, 1), principal(team(domain, 3), 'Group')]],
    [513, 'Domain Users', []],
    [514, 'Domain Guests', []],
    [515, 'Domain Computers', []],
    [516, 'Domain Controllers', []],
    [518, 'Schema Admins', [user(domain, 0)]],
    [519, 'Enterprise Admins', [user(domain, 0), ...others.slice(0, 1).map((other) => user(other, 0))]],
    [525, 'Protected Users', [user(domain, 2)]],
    [526, 'Key Admins', []],
    [527, 'Enterprise Key Admins', []],
  ];
  const builtInGroups: [sid: string, name: string, members: Principal[]][] = [
    [
      'S-1-5-32-544',
      'Administrators',
      [user(domain, 0), ...[wellKnown(domain, 512), wellKnown(domain.forest, 519)].map(asGroup)],
    ],
    ['S-1-5-32-548', 'Account Operators', [user(domain, 3)]],
    ['S-1-5-32-551', 'Backup Operators', [user(domain, 4)]],
    ['S-1-5-32-555', 'Remote Desktop Users', []],
    ['S-1-5-11', 'Authenticated Users', [wellKnown(domain, 513), wellKnown(domain, 515)].map(asGroup)],
    ['S-1-1-0', 'Everyone', [asGroup(builtIn(domain, 'S-1-5-11'))]],
  ];
  return [
    ...ofDomain.map(([rid, name, members]) => makeGroup(domain, wellKnown(domain, rid), name, members)),
    ...builtInGroups.map(([sid, name, members]) => makeGroup(domain, builtIn(domain, sid), name, members)),
  ];
}

const asGroup = (id: string) => principal(id, 'Group');
const protectedNames = new Set(['Domain Admins', 'Enterprise Admins', 'Schema Admins', 'Administrators']);

function makeGroup(domain: Domain, id: string, name: string, Members: readonly Principal[]): object {
  const isProtected = protectedNames.has(name);
  return {
    ObjectIdentifier: id,
    Properties: {
      ...common(domain, `${name}@${domain.name}`, `CN=${name},CN=PLACE0`),
      samaccountname: name,
      isaclprotected: isProtected,
      description: null,
      whencreated: 1_420_070_400,
      admincount: isProtected,
    },
    Members,
    ContainedBy: container(domain, 0),
    Aces: [...standard(domain), ...(isProtected ? [] : inherited(domain, -1, false))],
    HasSIDHistory: [],
    IsDeleted: false,
    IsACLProtected: isProtected,
  };
}
