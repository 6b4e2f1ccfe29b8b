import { groupRuns, userRuns } from './accounts.ts';
import { computerRuns } from './computers.ts';
import {
  builtIn,
  common,
  computer,
  container,
  type Domain,
  group,
  guid,
  inheritanceHash,
  Kind,
  ou,
  type Principal,
  principal,
  randomOf,
  someTime,
  user,
  wellKnown,
} from './domain.ts';
import {
  administrators,
  domainAdmins,
  enterpriseAdmins,
  grant,
  inherited,
  slip,
  standard,
  team,
} from './rights.ts';

const inEach = 6;
/** OUs and containers are trees: the first ones lie in the domain, the others in one before them. */
const parentOf = (n: number) => (n < inEach ? undefined : Math.floor(n / inEach) - 1);

function childrenOf(n: number | undefined, count: number): number[] {
  const first = n === undefined ? 0 : (n + 1) * inEach;
  return Array.from({ length: Math.max(0, Math.min(inEach, count - first)) }, (_, index) => first + index);
}

const gpo = (domain: Domain, n: number) => guid(domain, Kind.GPO, n % domain.counts.gpos);
const noChanges = { LocalAdmins: [], RemoteDesktopUsers: [], DcomUsers: [], PSRemoteUsers: [] };

export function makeOu(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.OU, n);
  const parent = parentOf(n);
  const children: Principal[] = [
    ...childrenOf(n, domain.counts.ous).map((child) => ou(domain, child)),
    ...[...userRuns(domain).of(n)].map((child) => user(domain, child)),
    ...[...computerRuns(domain).of(n)].map((child) => computer(domain, child)),
    ...[...groupRuns(domain).of(n)].map((child) => group(domain, child)),
  ];
  const computers = children.filter(({ ObjectType }) => ObjectType === 'Computer');
  const hasAdmins = random.chance(0.02);
  return {
    ObjectIdentifier: ou(domain, n).ObjectIdentifier,
    Properties: {
      ...common(domain, `unit${n}@${domain.name}`, `OU=UNIT${n}`),
      isaclprotected: false,
      highvalue: false,
      description: null,
      whencreated: someTime(random),
      blocksinheritance: random.chance(0.02),
    },
    Links: random.chance(0.5) ? [{ IsEnforced: random.chance(0.1), GUID: gpo(domain, n) }] : [],
    ChildObjects: children,
    GPOChanges: hasAdmins
      ? { ...noChanges, LocalAdmins: [principal(team(domain, n), 'Group')], AffectedComputers: computers }
      : { ...noChanges, AffectedComputers: [] },
    InheritanceHashes: [0, 1, 2].map((number) => inheritanceHash(domain, n, number)),
    ContainedBy: parent === undefined ? principal(domain.sid, 'Domain') : ou(domain, parent),
    Aces: [...standard(domain), ...slip(domain, random, 0.05), ...inherited(domain, -1, false)],
    IsDeleted: false,
    IsACLProtected: false,
  };
}

export function makeContainer(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.Container, n);
  const parent = parentOf(n);
  return {
    ObjectIdentifier: container(domain, n).ObjectIdentifier,
    Properties: {
      ...common(domain, `place${n}@${domain.name}`, `CN=PLACE${n}`),
      isaclprotected: false,
      highvalue: false,
      description: null,
      whencreated: someTime(random),
    },
    ChildObjects: childrenOf(n, domain.counts.containers).map((child) => container(domain, child)),
    InheritanceHashes: [],
    ContainedBy: parent === undefined ? principal(domain.sid, 'Domain') : container(domain, parent),
    Aces: [...standard(domain), ...inherited(domain, -1, false)],
    IsDeleted: false,
    IsACLProtected: false,
  };
}

export function makeGpo(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.GPO, n);
  const id = gpo(domain, n);
  return {
    ObjectIdentifier: id,
    Properties: {
      ...common(domain, `policy${n}@${domain.name}`, `CN={${id}},CN=POLICIES,CN=SYSTEM`),
      isaclprotected: true,
      highvalue: false,
      description: null,
      whencreated: someTime(random),
      gpcpath: `\\\\${domain.name}\\SYSVOL\\${domain.name}\\POLICIES\\{${id}}`,
      gpostatus: '0',
    },
    ContainedBy: null,
    Aces: [
      ...standard(domain),
      ...['GenericAll', 'WriteDacl', 'WriteOwner'].map((right) => grant(enterpriseAdmins(domain), right)),
      ...slip(domain, random, 0.1),
    ],
    IsDeleted: false,
    IsACLProtected: true,
  };
}

export function makeDomain(domain: Domain, others: readonly Domain[]): object {
  return {
    ObjectIdentifier: domain.sid,
    Properties: {
      domain: domain.name,
      name: domain.name,
      distinguishedname: domain.dn,
      domainsid: domain.sid,
      isaclprotected: false,
      description: null,
      whencreated: 1_420_070_400,
      functionallevel: '2016',
      collected: true,
      machineaccountquota: 10,
      minpwdlength: 8,
      lockoutthreshold: 0,
    },
    ChildObjects: [
      ...childrenOf(undefined, domain.counts.ous).map((child) => ou(domain, child)),
      ...childrenOf(undefined, domain.counts.containers).map((child) => container(domain, child)),
    ],
    Trusts: others.map((other) => trust(domain, other)),
    Links: [{ IsEnforced: true, GUID: gpo(domain, 0) }],
    GPOChanges: { ...noChanges, AffectedComputers: [] },
    InheritanceHashes: [0, 1, 2].map((number) => inheritanceHash(domain, -1, number)),
    ContainedBy: null,
    Aces: [
      grant(administrators(domain), 'Owns'),
      ...['WriteDacl', 'WriteOwner', 'AllExtendedRights'].map((right) => grant(domainAdmins(domain), right)),
      ...['GetChanges', 'GetChangesAll'].map((right) => grant(administrators(domain), right)),
      ...['GetChanges', 'GetChangesAll'].map((right) => grant(wellKnown(domain, 516), right)),
      grant(builtIn(domain, 'S-1-5-11'), 'GetChangesInFilteredSet'),
      grant(user(domain, 7 % domain.counts.users).ObjectIdentifier, 'GetChanges', 'User'),
      grant(user(domain, 7 % domain.counts.users).ObjectIdentifier, 'GetChangesAll', 'User'),
      grant(enterpriseAdmins(domain), 'GenericAll'),
    ],
    IsDeleted: false,
    IsACLProtected: false,
  };
}

function trust(domain: Domain, other: Domain): object {
  const isForest = domain.forest.sid === other.forest.sid;
  return {
    TargetDomainSid: other.sid,
    TargetDomainName: other.name,
    IsTransitive: true,
    SidFilteringEnabled: !isForest,
    TrustAttributes: isForest ? '32' : '8',
    TGTDelegationEnabled: false,
    TrustDirection: 'Bidirectional',
    TrustType: isForest ? 'ParentChild' : 'Forest',
  };
}
