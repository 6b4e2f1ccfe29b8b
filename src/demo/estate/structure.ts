import { services } from './accounts.ts';
import {
  commonProperties,
  corp,
  type DemoDomain,
  grant,
  guid,
  longAgo,
  partner,
  plant,
  principal,
  standardRights,
  untouched,
  wellKnown,
} from './domain.ts';
import { teams } from './groups.ts';
import { container, containerNames, unitId, unitNames } from './places.ts';
import { isOn, story } from './story.ts';

const defaultPolicy = (domain: DemoDomain) => guid(`Default Domain Policy of ${domain.name}`);
const baseline = (domain: DemoDomain) => guid(`Workstation Baseline of ${domain.name}`);

const asDomain = ({ sid }: DemoDomain) => principal(sid, 'Domain');
const noChanges = {
  LocalAdmins: [],
  RemoteDesktopUsers: [],
  DcomUsers: [],
  PSRemoteUsers: [],
  AffectedComputers: [],
};

export function makeUnits(domain: DemoDomain): object[] {
  return unitNames.map((name) => ({
    ObjectIdentifier: unitId(domain, name),
    Properties: {
      ...commonProperties(domain, `${name}@${domain.name}`, `OU=${name}`),
      blocksinheritance: false,
    },
    Links: name === 'Workstations' ? [{ GUID: baseline(domain), IsEnforced: false }] : [],
    GPOChanges: noChanges,
    ContainedBy: asDomain(domain),
    Aces: standardRights(domain),
    ...untouched,
  }));
}

export function makeContainers(domain: DemoDomain): object[] {
  return containerNames.map((name) => ({
    ObjectIdentifier: container(domain, name).ObjectIdentifier,
    Properties: commonProperties(domain, `${name}@${domain.name}`, `CN=${name}`),
    ContainedBy: asDomain(domain),
    Aces: standardRights(domain),
    ...untouched,
  }));
}

export function makePolicies(domain: DemoDomain): object[] {
  const make = (id: string, name: string, more: ReturnType<typeof grant>[]) => ({
    ObjectIdentifier: id,
    Properties: {
      ...commonProperties(domain, `${name}@${domain.name}`, `CN={${id}},CN=POLICIES,CN=SYSTEM`),
      gpcpath: `\\\\${domain.name}\\SYSVOL\\${domain.name}\\POLICIES\\{${id}}`,
      gpostatus: '0',
    },
    Aces: [...standardRights(domain), ...more],
    ...untouched,
  });
  const keepers = domain === corp ? [grant(teams.workstationAdmins, 'GenericWrite')] : [];
  return [
    make(defaultPolicy(domain), 'Default Domain Policy', []),
    make(baseline(domain), 'Workstation Baseline', keepers),
  ];
}

export function makeDomain(domain: DemoDomain, day: number): object {
  const replicate = [wellKnown(domain, 512), wellKnown(domain, 516)].flatMap((sid) =>
    ['GetChanges', 'GetChangesAll'].map((right) => grant(sid, right)),
  );
  const risky =
    domain === corp && isOn(story.riskyRight, day) ? [grant(services.sync.sid, 'WriteDacl', 'User')] : [];
  return {
    ObjectIdentifier: domain.sid,
    Properties: {
      domain: domain.name,
      domainsid: domain.sid,
      name: domain.name,
      distinguishedname: domain.dn,
      isaclprotected: false,
      whencreated: longAgo,
      functionallevel: '2016',
      collected: true,
      machineaccountquota: 0,
      minpwdlength: 12,
      lockoutthreshold: 10,
    },
    Trusts: trustsOf(domain),
    Links: [{ GUID: defaultPolicy(domain), IsEnforced: true }],
    GPOChanges: noChanges,
    Aces: [...standardRights(domain), ...replicate, ...risky],
    ...untouched,
  };
}

function trustsOf(domain: DemoDomain): object[] {
  const inForest = (other: DemoDomain) => ({
    TargetDomainSid: other.sid,
    TargetDomainName: other.name,
    IsTransitive: true,
    SidFilteringEnabled: false,
    TrustAttributes: '32',
    TGTDelegationEnabled: false,
    TrustDirection: 'Bidirectional',
    TrustType: 'ParentChild',
  });
  if (domain === corp) return [inForest(plant)];
  return [
    inForest(corp),
    {
      TargetDomainSid: partner.sid,
      TargetDomainName: partner.name,
      IsTransitive: false,
      SidFilteringEnabled: true,
      TrustAttributes: '4',
      TGTDelegationEnabled: false,
      TrustDirection: 'Outbound',
      TrustType: 'External',
    },
  ];
}
