/**
 * A small estate as a collector would write it down: two domains that trust each other, people, groups, computers,
 * OUs, policies and certificate services. What is in the graph afterwards is worked out by `plain-reading.ts`.
 */
export interface CollectorFile {
  readonly meta: {
    readonly type: string;
    readonly version: 5 | 6;
    readonly methods: number;
    readonly count: number;
  };
  readonly data: readonly CollectedObject[];
}

// biome-ignore lint/suspicious/noExplicitAny: as free as the files of collectors are
export type CollectedObject = Record<string, any>;

const methods = 521_215;

interface Domain {
  readonly name: string;
  readonly sid: string;
  readonly dn: string;
}

const domains: readonly Domain[] = [
  { name: 'north.example', sid: 'S-1-5-21-100-200-300', dn: 'DC=north,DC=example' },
  { name: 'south.example', sid: 'S-1-5-21-400-500-600', dn: 'DC=south,DC=example' },
];

/** Ids that look like those of the directory and are the same every time. */
const guid = (domain: Domain, kind: number, number: number) =>
  `${domain.sid.slice(9, 12)}00000-0000-4000-8000-${String(kind * 1000 + number).padStart(12, '0')}`;

const ace = (PrincipalSID: string, PrincipalType: string, RightName: string, IsInherited = false) => ({
  PrincipalSID,
  PrincipalType,
  RightName,
  IsInherited,
  InheritanceHash: '',
});
const principal = (ObjectIdentifier: string, ObjectType: string) => ({ ObjectIdentifier, ObjectType });

export function collectorFiles(version: 5 | 6, usersPerDomain = 12): CollectorFile[] {
  const all: Record<string, CollectedObject[]> = {};
  const put = (type: string, object: CollectedObject) => {
    all[type] = [...(all[type] ?? []), object];
  };
  domains.forEach((domain, index) => {
    const other = domains[1 - index] as Domain;
    putPeople(put, domain, usersPerDomain);
    putComputers(put, domain, usersPerDomain);
    putStructure(put, domain, other, index);
    if (version === 6) putCertificates(put, domain);
  });
  return Object.entries(all).map(([type, data]) => ({
    meta: { type, version, methods, count: data.length },
    data,
  }));
}

type Put = (type: string, object: CollectedObject) => void;

function putPeople(put: Put, domain: Domain, users: number): void {
  const { name, sid, dn } = domain;
  const admins = `${sid}-512`;
  for (let n = 0; n < users; n += 1) {
    put('users', {
      ObjectIdentifier: `${sid}-${1100 + n}`,
      Properties: {
        name: `user${n}@${name}`,
        domain: name.toUpperCase(),
        domainsid: sid,
        distinguishedname: `CN=user${n},OU=staff,${dn}`,
        samaccountname: `user${n}`,
        enabled: n % 5 !== 0,
        whencreated: 1_700_000_000 + n,
        serviceprincipalnames: n === 2 ? [`MSSQLSvc/db.${name}:1433`] : [],
        description: n === 1 ? null : `number ${n}`,
        unconstraineddelegation: n === 3,
      },
      PrimaryGroupSID: `${sid}-513`,
      AllowedToDelegate: n === 4 ? [principal(`${sid}-1001`, 'Computer')] : [],
      HasSIDHistory: n === 5 ? [principal(`${sid}-9999`, 'User')] : [],
      SPNTargets: n === 2 ? [{ ComputerSID: `${sid}-1001`, Port: 1433, Service: 'SQLAdmin' }] : [],
      ContainedBy: principal(guid(domain, 1, 1), 'OU'),
      Aces: [
        ace(admins, 'Group', 'Owns'),
        ace(admins, 'Group', 'GenericAll', true),
        ace(`${sid}-1100`, 'User', 'ForceChangePassword'),
        ace(`${sid}-513`, 'Group', 'AdminTo'),
      ],
      IsDeleted: false,
      IsACLProtected: false,
    });
  }
  const member = (n: number) => principal(`${sid}-${1100 + n}`, 'User');
  const groups: [string, string, CollectedObject[]][] = [
    ['512', 'Domain Admins', [member(0), principal(`${sid}-1201`, 'Group')]],
    ['513', 'Domain Users', []],
    ['515', 'Domain Computers', []],
    ['1201', 'Helpdesk', [member(6), member(7), member(7)]],
  ];
  for (const [rid, title, Members] of groups) {
    put('groups', {
      ObjectIdentifier: `${sid}-${rid}`,
      Properties: {
        name: `${title}@${name}`,
        domain: name.toUpperCase(),
        domainsid: sid,
        admincount: rid === '512',
      },
      Members,
      ContainedBy: principal(guid(domain, 1, 2), 'Container'),
      Aces:
        rid === '1201'
          ? [ace(`${sid}-1108`, 'User', 'AddMember'), ace(`${sid}-1109`, 'User', 'WriteOwner')]
          : [],
    });
  }
}

function putComputers(put: Put, domain: Domain, users: number): void {
  const { name, sid } = domain;
  for (let n = 0; n < 4; n += 1) {
    const id = `${sid}-${1000 + n}`;
    const user = `${sid}-${1100 + (n % users)}`;
    const sessions =
      n === 2
        ? { Collected: false, Results: [] }
        : { Collected: true, Results: [{ ComputerSID: id, UserSID: user }] };
    put('computers', {
      ObjectIdentifier: id,
      Properties: {
        name: `host${n}.${name}`,
        domain: name.toUpperCase(),
        domainsid: sid,
        operatingsystem: 'Windows Server 2022',
        enabled: true,
        haslaps: n % 2 === 0,
      },
      PrimaryGroupSID: `${sid}-515`,
      IsDC: n === 0,
      DomainSID: sid,
      Sessions: sessions,
      AllowedToAct: n === 3 ? [principal(`${sid}-1000`, 'Computer')] : [],
      LocalGroups: [
        {
          ObjectIdentifier: `${id}-544`,
          Name: `administrators@host${n}.${name}`,
          Collected: n !== 2,
          Results: [principal(`${sid}-512`, 'Group')],
          LocalNames: [],
        },
      ],
      ContainedBy: principal(guid(domain, 1, 1), 'OU'),
      Aces: [ace(`${sid}-512`, 'Group', 'WriteDacl', true)],
    });
  }
}

function putStructure(put: Put, domain: Domain, other: Domain, index: number): void {
  const { name, sid, dn } = domain;
  const [unit, container, policy] = [guid(domain, 1, 1), guid(domain, 1, 2), guid(domain, 2, 1)];
  const common = { domain: name.toUpperCase(), domainsid: sid };
  put('ous', {
    ObjectIdentifier: unit,
    Properties: {
      name: `Staff@${name}`,
      ...common,
      distinguishedname: `OU=staff,${dn}`,
      blocksinheritance: false,
    },
    Links: [{ GUID: policy, IsEnforced: true }],
    ChildObjects: [principal(`${sid}-1100`, 'User')],
    ContainedBy: principal(sid, 'Domain'),
    Aces: [],
  });
  put('containers', {
    ObjectIdentifier: container,
    Properties: { name: `Users@${name}`, ...common },
    ChildObjects: [principal(`${sid}-512`, 'Group')],
    ContainedBy: principal(sid, 'Domain'),
    Aces: [],
  });
  put('gpos', {
    ObjectIdentifier: policy,
    Properties: { name: `Baseline@${name}`, ...common, gpcpath: `\\\\${name}\\policies` },
    Aces: [ace(`${sid}-1201`, 'Group', 'GenericWrite')],
  });
  put('domains', {
    ObjectIdentifier: sid,
    Properties: { name, ...common, distinguishedname: dn, collected: true, functionallevel: '2016' },
    ChildObjects: [principal(unit, 'OU'), principal(container, 'Container')],
    Links: [{ GUID: policy, IsEnforced: false }],
    Trusts: [
      {
        TargetDomainSid: other.sid,
        TargetDomainName: other.name.toUpperCase(),
        IsTransitive: true,
        SidFilteringEnabled: index === 0,
        TrustDirection: 'Bidirectional',
        TrustType: 'Forest',
        TrustAttributes: 8,
        TGTDelegationEnabled: false,
      },
    ],
    Aces: [ace(`${sid}-512`, 'Group', 'GetChanges'), ace(`${sid}-512`, 'Group', 'GetChangesAll')],
  });
}

function putCertificates(put: Put, domain: Domain): void {
  const { name, sid } = domain;
  const common = { domain: name.toUpperCase(), domainsid: sid };
  const template = (n: number) => guid(domain, 3, n);
  const thumb = `AB${sid.replace(/\D/g, '')}`;
  for (let n = 1; n <= 3; n += 1) {
    put('certtemplates', {
      ObjectIdentifier: template(n),
      Properties: { name: `Template${n}@${name}`, ...common, schemaversion: 2, ekus: ['1.3.6.1.5.5.7.3.2'] },
      Aces: [ace(`${sid}-513`, 'Group', 'Enroll')],
    });
  }
  put('enterprisecas', {
    ObjectIdentifier: guid(domain, 4, 1),
    Properties: { name: `CA@${name}`, ...common, caname: 'CA', certthumbprint: thumb, certchain: [thumb] },
    HostingComputer: `${sid}-1001`,
    // The last one has no record of its own.
    EnabledCertTemplates: [1, 2, 9].map((n) => principal(template(n), 'CertTemplate')),
    Aces: [ace(`${sid}-512`, 'Group', 'ManageCA')],
  });
  put('rootcas', {
    ObjectIdentifier: guid(domain, 5, 1),
    Properties: { name: `Root@${name}`, ...common, certthumbprint: thumb, certchain: [thumb] },
    DomainSID: sid,
    Aces: [],
  });
  put('ntauthstores', {
    ObjectIdentifier: guid(domain, 6, 1),
    Properties: { name: `NTAuth@${name}`, ...common, certthumbprints: [thumb] },
    DomainSID: sid,
    Aces: [],
  });
}
