import {
  type Account,
  asUser,
  domainUsers,
  jonas,
  mira,
  peopleOf,
  plantAdministrator,
  services,
} from './accounts.ts';
import {
  builtIn,
  chance,
  collected,
  commonProperties,
  corp,
  type DemoDomain,
  grant,
  type Principal,
  plant,
  principal,
  standardRights,
  untouched,
  wellKnown,
} from './domain.ts';
import { departmentSid, teams } from './groups.ts';
import { unit } from './places.ts';
import { before, isOn, reachedPercent, type Span, since, story } from './story.ts';

interface Computer {
  readonly domain: DemoDomain;
  readonly sid: string;
  readonly host: string;
  readonly role: 'controller' | 'server' | 'workstation';
  readonly days: Span;
}

const system: Readonly<Record<Computer['role'], string>> = {
  controller: 'Windows Server 2022 Datacenter',
  server: 'Windows Server 2019 Standard',
  workstation: 'Windows 11 Enterprise',
};

const computer = (
  domain: DemoDomain,
  rid: number,
  host: string,
  role: Computer['role'],
  days = since(0),
) => ({
  domain,
  sid: `${domain.sid}-${rid}`,
  host,
  role,
  days,
});

const range = (count: number) => Array.from({ length: count }, (_, number) => number);
const numbered = (prefix: string, number: number) => `${prefix}${String(number).padStart(2, '0')}`;

/** Hosts of certificate authorities are `PKI01` and so on; the last one came with its authority. */
export const authorityHost = (domain: DemoDomain, number: number) => `${domain.sid}-${2200 + number}`;
export const oldAuthorities = 4;

const servers = ['FS01', 'SQL01', 'APP01', 'APP02', 'WEB01', 'BKP01', 'PRINT01', 'JUMP01', 'COLLECT01'];

const computers: readonly Computer[] = [
  ...range(2).map((n) => computer(corp, 2001 + n, numbered('DC', n + 1), 'controller')),
  ...servers.map((host, n) => computer(corp, 2101 + n, host, 'server')),
  ...range(oldAuthorities + 1).map((n) => ({
    ...computer(
      corp,
      0,
      numbered('PKI', n + 1),
      'server',
      n < oldAuthorities ? since(0) : story.newAuthority,
    ),
    sid: authorityHost(corp, n + 1),
  })),
  ...range(56).map((n) => computer(corp, 2301 + n, numbered('WS', n + 1), 'workstation')),
  // Old laptops go, new ones come.
  ...range(12).map((n) => computer(corp, 2401 + n, numbered('LT', n + 1), 'workstation', before(8 + 5 * n))),
  ...range(14).map((n) => computer(corp, 2501 + n, numbered('NB', n + 1), 'workstation', since(10 + 5 * n))),
  computer(plant, 2001, 'PDC01', 'controller'),
  computer(plant, 2101, 'HIST01', 'server'),
  computer(plant, 2102, 'ENG01', 'server'),
  { ...computer(plant, 0, 'PPKI01', 'server'), sid: authorityHost(plant, 1) },
  ...range(22).map((n) =>
    computer(
      plant,
      2301 + n,
      numbered('HMI', n + 1),
      'workstation',
      n < 18 ? since(0) : since(24 + 12 * (n - 18)),
    ),
  ),
];

export function makeComputers(domain: DemoDomain, day: number, at: number): object[] {
  const staff = peopleOf(domain, day);
  return computers
    .filter((one) => one.domain === domain && isOn(one.days, day))
    .map((one, number) => makeComputer(one, staff[number % staff.length], day, at));
}

const units = { controller: 'Domain Controllers', server: 'Servers', workstation: 'Workstations' } as const;

function makeComputer(computer: Computer, owner: Account | undefined, day: number, at: number): object {
  const { domain, sid, host, role } = computer;
  const full = `${host}.${domain.name}`;
  const isController = role === 'controller';
  const isReached = role !== 'workstation' || chance('reach', full) < reachedPercent(day);
  // Some stand in a cupboard.
  const isIdle = role === 'workstation' && chance('idle', full) < 6;
  const lastLogon = Math.floor(at / 1000) - (isIdle ? 40 : chance('on', full, day) / 20) * 86_400;
  return {
    ObjectIdentifier: sid,
    Properties: {
      ...commonProperties(domain, full, `CN=${host},OU=${units[role]}`),
      samaccountname: `${host}$`,
      enabled: true,
      operatingsystem: system[role],
      haslaps: role === 'workstation',
      isdc: isController,
      unconstraineddelegation: isController,
      trustedtoauth: false,
      lastlogontimestamp: Math.floor(lastLogon),
      serviceprincipalnames: [`HOST/${full}`],
      sidhistory: [],
    },
    PrimaryGroupSID: wellKnown(domain, isController ? 516 : 515),
    AllowedToDelegate: [],
    AllowedToAct: [],
    HasSIDHistory: [],
    DumpSMSAPassword: [],
    ...sessions(computer, owner, day, isReached && (role !== 'workstation' || chance('registry', full) < 92)),
    LocalGroups: isReached ? localGroups(computer, day) : [],
    UserRights: [],
    DCRegistryData: {
      CertificateMappingMethods: isController ? { ...collected, Value: 24 } : null,
      StrongCertificateBindingEnforcement: isController ? { ...collected, Value: 2 } : null,
    },
    Status: { Connectable: isReached, Error: isReached ? null : 'PortNotOpen' },
    IsDC: isController,
    DomainSID: domain.sid,
    ContainedBy: unit(domain, units[role]),
    Aces: [
      ...standardRights(domain),
      ...(role === 'workstation' && domain === corp
        ? [grant(teams.workstationAdmins, 'ReadLAPSPassword')]
        : []),
    ],
    ...untouched,
  };
}

function sessions(computer: Computer, owner: Account | undefined, day: number, isReached: boolean): object {
  const results = isReached ? usersOn(computer, owner, day) : [];
  const found = {
    Results: results.map(({ sid }) => ({ UserSID: sid, ComputerSID: computer.sid })),
    Collected: isReached,
    FailureReason: isReached ? null : 'ErrorAccessDenied',
  };
  return {
    Sessions: { ...found, Results: [] },
    PrivilegedSessions: found,
    RegistrySessions: { ...found, Results: [] },
  };
}

function usersOn({ host, role }: Computer, owner: Account | undefined, day: number): readonly Account[] {
  const often = (percent: number, ...who: readonly Account[]) =>
    who.filter(({ name }) => chance('session', host, name, day) < percent);
  switch (host) {
    case 'DC01':
      return often(80, mira);
    case 'JUMP01':
      return often(75, jonas);
    case 'SQL01':
      return [services.sql];
    case 'BKP01':
      return [services.backup];
    case 'APP01':
    case 'APP02':
      return [services.deploy];
    case 'PDC01':
      return often(70, plantAdministrator);
    case 'HIST01':
      return [services.historian];
    case 'HMI03':
      return often(55, plantAdministrator);
    case 'WS23':
      return isOn(story.carelessSession, day) ? [jonas] : [];
    default:
      return role === 'workstation' && owner !== undefined ? often(80, owner) : [];
  }
}

const asGroup = (sid: string) => principal(sid, 'Group');

function localGroups(computer: Computer, day: number): object[] {
  const { domain, sid, host, role } = computer;
  if (role === 'controller') {
    // On a controller these are the groups of the domain.
    const Results = [asGroup(wellKnown(domain, 512))];
    const ObjectIdentifier = builtIn(domain, 'S-1-5-32-544');
    return [{ ObjectIdentifier, Name: 'IGNOREME', Results, LocalNames: [], ...collected }];
  }
  const group = (rid: number, name: string, Results: readonly Principal[]) => ({
    ObjectIdentifier: `${sid}-${rid}`,
    Name: `${name}@${host}.${domain.name}`,
    Results,
    LocalNames: [],
    ...collected,
  });
  return [
    group(544, 'ADMINISTRATORS', [asGroup(wellKnown(domain, 512)), ...administratorsOf(computer, day)]),
    group(555, 'REMOTE DESKTOP USERS', remoteUsersOf(computer, day)),
  ];
}

function administratorsOf({ domain, host, role }: Computer, day: number): Principal[] {
  if (host.includes('PKI')) return [];
  if (domain === plant) {
    const everybody = host === 'HMI03' && isOn(story.openStation, day) ? [domainUsers(plant)] : [];
    return [asGroup(role === 'server' ? teams.engineers : teams.stationAdmins), ...everybody];
  }
  if (role === 'workstation') return [asGroup(teams.workstationAdmins)];
  if (host === 'SQL01') return [asGroup(teams.databaseAdmins), asUser(services.sql)];
  const everybody = host === 'PRINT01' && isOn(story.openPrintServer, day) ? [domainUsers(corp)] : [];
  // Whoever can restore a backup is more than an administrator of servers.
  return host === 'BKP01' ? [asUser(services.backup)] : [asGroup(teams.serverAdmins), ...everybody];
}

function remoteUsersOf({ host }: Computer, day: number): Principal[] {
  if (host === 'JUMP01' && isOn(story.openJumpHost, day))
    return [asGroup(departmentSid(corp, 'Engineering'))];
  return host === 'ENG01' ? [asGroup(teams.contractors)] : [];
}
