import {
  builtIn,
  common,
  computer,
  computerSid,
  type Domain,
  group,
  Kind,
  ou,
  principal,
  Runs,
  randomOf,
  someTime,
  user,
  userSid,
  wellKnown,
} from './domain.ts';
import type { Random } from './random.ts';
import { domainAdmins, grant, inherited, slip, standard, Team, team } from './rights.ts';

const systems = ['Windows 10 Enterprise', 'Windows 11 Enterprise', 'Windows Server 2019 Standard'];
const servers = ['Windows Server 2016 Standard', 'Windows Server 2022 Standard'];
const localGroups = [
  [544, 'ADMINISTRATORS'],
  [555, 'REMOTE DESKTOP USERS'],
  [562, 'DISTRIBUTED COM USERS'],
  [580, 'REMOTE MANAGEMENT USERS'],
] as const;

export const computerRuns = ({ counts }: Domain) => new Runs(counts.computers, counts.ous);

/** The first ones are the controllers of the domain. */
export const controllersOf = ({ counts }: Domain) => 1 + Math.floor(counts.computers / 5000);

export function makeComputer(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.Computer, n);
  const place = computerRuns(domain).holderOf(n);
  const isDc = n < controllersOf(domain);
  const isServer = isDc || random.chance(0.15);
  const host = `${isDc ? 'dc' : isServer ? 'srv' : 'ws'}${n}`;
  const full = `${host}.${domain.name}`;
  const id = computerSid(domain, n);
  const hasLaps = !isServer && random.chance(0.7);
  const isReached = isDc || random.chance(0.3);
  return {
    ObjectIdentifier: id,
    Properties: {
      ...common(domain, full, `CN=${host},OU=UNIT${place}`),
      samaccountname: `${host.toUpperCase()}$`,
      haslaps: hasLaps,
      isaclprotected: false,
      description: null,
      whencreated: someTime(random),
      enabled: !random.chance(0.08),
      unconstraineddelegation: isDc || random.chance(0.001),
      trustedtoauth: false,
      isdc: isDc,
      lastlogon: someTime(random),
      lastlogontimestamp: someTime(random),
      pwdlastset: someTime(random),
      serviceprincipalnames: ['HOST', 'RestrictedKrbHost', 'TERMSRV'].map((service) => `${service}/${full}`),
      email: null,
      operatingsystem: random.pick(isServer ? servers : systems),
      sidhistory: [],
    },
    PrimaryGroupSID: wellKnown(domain, isDc ? 516 : 515),
    AllowedToDelegate: random.chance(0.003) ? [computer(domain, random.below(domain.counts.computers))] : [],
    AllowedToAct: random.chance(0.002) ? [computer(domain, random.below(domain.counts.computers))] : [],
    HasSIDHistory: [],
    DumpSMSAPassword: [],
    ...sessions(domain, random, id, isReached),
    LocalGroups: isDc ? controllerGroups(domain) : isReached ? groupsOf(domain, random, id, full) : [],
    UserRights: isReached && !isDc ? [remoteLogon(id)] : [],
    DCRegistryData: {
      CertificateMappingMethods: isDc ? value(random.pick([4, 31])) : null,
      StrongCertificateBindingEnforcement: isDc ? value(random.below(3)) : null,
    },
    IsWebClientRunning: { Collected: isReached, FailureReason: null, Result: random.chance(0.1) },
    Status: { Connectable: isReached, Error: isReached ? null : 'PortNotOpen' },
    IsDC: isDc,
    DomainSID: domain.sid,
    ContainedBy: ou(domain, place),
    Aces: [
      ...standard(domain),
      ...(hasLaps ? [grant(team(domain, Team.workstations + (place % 5)), 'ReadLAPSPassword')] : []),
      ...(isServer ? [grant(team(domain, Team.servers), 'GenericWrite')] : []),
      ...slip(domain, random, 0.01),
      ...inherited(domain, place, true),
    ],
    IsDeleted: false,
    IsACLProtected: false,
  };
}

const value = (Value: number) => ({ Collected: true, FailureReason: null, Value });

function sessions(domain: Domain, random: Random, id: string, isReached: boolean): object {
  const count = isReached ? random.below(4) : 0;
  const Results = Array.from({ length: count }, () => ({
    // Administrators leave their sessions everywhere.
    UserSID: userSid(domain, random.chance(0.1) ? random.below(5) : random.below(domain.counts.users)),
    ComputerSID: id,
  }));
  const failure = isReached ? null : 'ErrorAccessDenied';
  return {
    Sessions: { Results: [], Collected: isReached, FailureReason: failure },
    PrivilegedSessions: { Results, Collected: isReached, FailureReason: failure },
    RegistrySessions: { Results: Results.slice(0, 1), Collected: isReached, FailureReason: failure },
  };
}

function groupsOf(domain: Domain, random: Random, id: string, full: string): object[] {
  const admins = [
    principal(domainAdmins(domain), 'Group'),
    principal(team(domain, Team.workstations + random.below(5)), 'Group'),
    ...(random.chance(0.2) ? [user(domain, random.below(domain.counts.users))] : []),
  ];
  const remote = random.chance(0.4) ? [group(domain, random.below(domain.counts.groups))] : [];
  const members = [admins, remote, random.chance(0.03) ? remote : [], random.chance(0.05) ? admins : []];
  return localGroups.map(([rid, title], index) => ({
    ObjectIdentifier: `${id}-${rid}`,
    Name: `${title}@${full}`,
    Results: members[index] ?? [],
    LocalNames: [],
    Collected: true,
    FailureReason: null,
  }));
}

/** On a controller these are the groups of the domain. */
function controllerGroups(domain: Domain): object[] {
  return localGroups.slice(0, 2).map(([rid]) => ({
    ObjectIdentifier: builtIn(domain, `S-1-5-32-${rid}`),
    Name: 'IGNOREME',
    Results: rid === 544 ? [principal(domainAdmins(domain), 'Group')] : [],
    LocalNames: [],
    Collected: true,
    FailureReason: null,
  }));
}

const remoteLogon = (id: string) => ({
  Privilege: 'SeRemoteInteractiveLogonRight',
  Results: [principal(`${id}-544`, 'LocalGroup')],
  LocalNames: [],
  Collected: true,
  FailureReason: null,
});
