import {
  type Account,
  asUser,
  builtInAdministrator,
  departmentOf,
  departments,
  diego,
  jonas,
  mira,
  peopleOf,
  petra,
  plantAdministrator,
  services,
} from './accounts.ts';
import {
  builtIn,
  commonProperties,
  corp,
  type DemoDomain,
  grant,
  type Principal,
  partner,
  plant,
  principal,
  standardRights,
  untouched,
  wellKnown,
} from './domain.ts';
import { container, unit } from './places.ts';
import { helpdeskSize, isOn, story } from './story.ts';

const asGroup = (sid: string) => principal(sid, 'Group');
const groupSid = (domain: DemoDomain, rid: number) => `${domain.sid}-${rid}`;

/** Groups that somebody of the company has made. */
export const teams = {
  helpdesk: groupSid(corp, 1610),
  workstationAdmins: groupSid(corp, 1611),
  serverAdmins: groupSid(corp, 1612),
  databaseAdmins: groupSid(corp, 1613),
  certificateOperators: groupSid(corp, 1614),
  vpnUsers: groupSid(corp, 1615),
  plantLiaison: groupSid(corp, 1616),
  engineers: groupSid(plant, 1610),
  stationAdmins: groupSid(plant, 1611),
  contractors: groupSid(plant, 1612),
} as const;

export const departmentSid = (domain: DemoDomain, name: string) =>
  groupSid(domain, 1600 + departments.indexOf(name as (typeof departments)[number]));

/** The two who look after servers come from Operations. */
const serverAdministrators = (day: number) => departmentOf(corp, day, 'Operations').slice(0, 2);

type Group = readonly [sid: string, name: string, members: readonly Principal[]];

function ownGroups(domain: DemoDomain, day: number): Group[] {
  const ofDepartment = (name: string, count?: number) =>
    departmentOf(domain, day, name).slice(0, count).map(asUser);
  const byDepartment = departments.map(
    (name): Group => [departmentSid(domain, name), name, ofDepartment(name)],
  );
  if (domain === plant) {
    const visitors = isOn(story.contractor, day) ? [principal(`${partner.sid}-1131`, 'User')] : [];
    return [
      ...byDepartment,
      [teams.engineers, 'Plant Engineers', [...ofDepartment('Engineering', 6), asGroup(teams.plantLiaison)]],
      [teams.stationAdmins, 'Station Admins', ofDepartment('Operations', 3)],
      [teams.contractors, 'Contractors', visitors],
    ];
  }
  return [
    ...byDepartment,
    [teams.helpdesk, 'IT Helpdesk', helpdesk(day).map(asUser)],
    [teams.workstationAdmins, 'Workstation Admins', [asGroup(teams.helpdesk)]],
    [teams.serverAdmins, 'Server Admins', [...serverAdministrators(day), services.deploy].map(asUser)],
    [teams.databaseAdmins, 'Database Admins', ofDepartment('Finance', 2)],
    [teams.certificateOperators, 'Certificate Operators', ofDepartment('Operations', 3).slice(2)],
    [teams.vpnUsers, 'VPN Users', [...ofDepartment('Sales'), ...ofDepartment('Engineering')]],
    [teams.plantLiaison, 'Plant Liaison', ofDepartment('Engineering', 3)],
  ];
}

function helpdesk(day: number): Account[] {
  return peopleOf(corp, day)
    .filter(({ department }) => department === 'Operations' || department === 'Sales')
    .slice(4, 4 + helpdeskSize(day));
}

function defaultGroups(domain: DemoDomain, day: number): Group[] {
  const administrators =
    domain === corp
      ? [
          mira,
          jonas,
          ...(isOn(story.firstAdministrator, day) ? [diego] : []),
          ...(isOn(story.newAdministrator, day) ? [petra] : []),
        ]
      : [plantAdministrator];
  const root = asUser(builtInAdministrator(domain));
  const forestGroups: Group[] =
    domain === corp
      ? [
          [wellKnown(domain, 518), 'Schema Admins', [root]],
          [wellKnown(domain, 519), 'Enterprise Admins', [root, asUser(mira)]],
        ]
      : [];
  return [
    [wellKnown(domain, 512), 'Domain Admins', [root, ...administrators.map(asUser)]],
    [wellKnown(domain, 513), 'Domain Users', []],
    [wellKnown(domain, 515), 'Domain Computers', []],
    [wellKnown(domain, 516), 'Domain Controllers', []],
    ...forestGroups,
    [
      builtIn(domain, 'S-1-5-32-544'),
      'Administrators',
      [root, asGroup(wellKnown(domain, 512)), asGroup(wellKnown(corp, 519))],
    ],
    [builtIn(domain, 'S-1-5-32-551'), 'Backup Operators', domain === corp ? [asUser(services.backup)] : []],
  ];
}

const protectedNames = new Set([
  ...['Domain Admins', 'Domain Controllers', 'Schema Admins', 'Enterprise Admins'],
  ...['Administrators', 'Backup Operators'],
]);

export function makeGroups(domain: DemoDomain, day: number): object[] {
  const make = (place: 'Users' | 'Groups', [sid, name, Members]: Group) => {
    const isProtected = protectedNames.has(name);
    return {
      ObjectIdentifier: sid,
      Properties: {
        ...commonProperties(
          domain,
          `${name}@${domain.name}`,
          `CN=${name},${place === 'Users' ? 'CN' : 'OU'}=${place}`,
        ),
        isaclprotected: isProtected,
        samaccountname: name,
        admincount: isProtected,
      },
      Members,
      HasSIDHistory: [],
      ContainedBy: place === 'Users' ? container(domain, place) : unit(domain, place),
      Aces: [...standardRights(domain), ...teamRights(sid)],
      ...untouched,
      IsACLProtected: isProtected,
    };
  };
  return [
    ...defaultGroups(domain, day).map((group) => make('Users', group)),
    ...ownGroups(domain, day).map((group) => make('Groups', group)),
  ];
}

/** Who may change what is in a group. */
function teamRights(sid: string) {
  if (sid === teams.vpnUsers) return [grant(teams.helpdesk, 'AddMember')];
  return sid === teams.contractors ? [grant(teams.engineers, 'GenericWrite')] : [];
}
