import { controllersOf } from './computers.ts';
import {
  common,
  computer,
  container,
  type Domain,
  groupSid,
  guid,
  Kind,
  principal,
  randomOf,
  someTime,
  wellKnown,
} from './domain.ts';
import { Random } from './random.ts';
import { administrators, domainAdmins, domainUsers, enterpriseAdmins, grant, Team, team } from './rights.ts';

const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const requestAgent = '1.3.6.1.4.1.311.20.2.1';
const serverAuthentication = '1.3.6.1.5.5.7.3.1';
/** Where the certificate services of a forest lie. */
const place = (domain: Domain, n: number) => container(domain, 1 + (n % 4));
const services = 'CN=PUBLIC KEY SERVICES,CN=SERVICES,CN=CONFIGURATION';
const thumbprint = (domain: Domain, n: number) => new Random(domain.seed, domain.index, 200, n).hex(40);
const owners = (domain: Domain) =>
  [domainAdmins(domain), enterpriseAdmins(domain)].flatMap((sid) =>
    ['GenericAll', 'WriteDacl', 'WriteOwner'].map((right) => grant(sid, right)),
  );
const fixed = { IsDeleted: false, IsACLProtected: false };

/** What is wrong with some of the templates: who asks names someone else, acts for others, or changes them. */
type Flaw = 'none' | 'subject' | 'agent' | 'control';
const flaws: readonly Flaw[] = ['subject', 'agent', 'control', 'none', 'none', 'none', 'none', 'none'];

export function makeTemplate(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.CertTemplate, n);
  const flaw = flaws[n % flaws.length] ?? 'none';
  const ekus = [
    flaw === 'agent'
      ? requestAgent
      : n % 3 === 0 || flaw !== 'none'
        ? clientAuthentication
        : serverAuthentication,
  ];
  const names = flaw === 'subject';
  return {
    ObjectIdentifier: guid(domain, Kind.CertTemplate, n),
    Properties: {
      ...common(
        domain,
        `Template${n}@${domain.name}`,
        `CN=TEMPLATE${n},CN=CERTIFICATE TEMPLATES,${services}`,
      ),
      isaclprotected: false,
      description: null,
      whencreated: someTime(random),
      validityperiod: '1 year',
      renewalperiod: '6 weeks',
      schemaversion: n % 4 === 3 ? 1 : 2,
      displayname: `Template ${n}`,
      oid: `1.3.6.1.4.1.311.21.8.${random.below(9_000_000)}.${n}`,
      enrollmentflag: 'PUBLISH_TO_DS',
      requiresmanagerapproval: random.chance(0.1) && flaw === 'none',
      nosecurityextension: n % 11 === 5,
      certificatenameflag: names ? 'ENROLLEE_SUPPLIES_SUBJECT' : 'SUBJECT_ALT_REQUIRE_UPN',
      enrolleesuppliessubject: names,
      subjectaltrequireupn: !names,
      subjectaltrequiredns: false,
      ekus,
      certificateapplicationpolicy: ekus,
      authorizedsignatures: 0,
      applicationpolicies: [],
      issuancepolicies: n % 8 === 3 ? [policyOid(domain, 0)] : [],
      effectiveekus: ekus,
      authenticationenabled: ekus[0] === clientAuthentication,
    },
    ContainedBy: place(domain, 0),
    Aces: [
      grant(enterpriseAdmins(domain), 'Owns'),
      ...owners(domain),
      grant(flaw === 'none' ? groupSid(domain, n % domain.counts.groups) : domainUsers(domain), 'Enroll'),
      ...(flaw === 'control' ? [grant(team(domain, Team.certificates), 'GenericAll')] : []),
    ],
    ...fixed,
  };
}

export function makeAuthority(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.EnterpriseCA, n);
  const name = `${domain.short}-CA${n}`;
  const host = computer(domain, (controllersOf(domain) + n) % domain.counts.computers);
  const published = Array.from({ length: domain.counts.templates }, (_, template) => template).filter(
    (template) => template % domain.counts.authorities === n || template % 5 === 0,
  );
  const collected = { Collected: true, FailureReason: null };
  const isOpen = n === 0;
  return {
    ObjectIdentifier: guid(domain, Kind.EnterpriseCA, n),
    Properties: {
      ...authority(domain, name, n, 'ENROLLMENT SERVICES'),
      flags: 'SUPPORTS_NT_AUTHENTICATION, CA_SERVERTYPE_ADVANCED',
      caname: name,
      dnshostname: `${name}.${domain.name}`,
      whencreated: someTime(random),
      casecuritycollected: true,
      enrollmentagentrestrictionscollected: true,
      isuserspecifiessanenabledcollected: true,
    },
    HostingComputer: host.ObjectIdentifier,
    CARegistryData: {
      CASecurity: {
        Data: [
          grant(administrators(domain), 'Owns'),
          ...[administrators(domain), domainAdmins(domain), enterpriseAdmins(domain)].flatMap((sid) =>
            ['ManageCA', 'ManageCertificates'].map((right) => grant(sid, right)),
          ),
          grant(domainUsers(domain), 'Enroll'),
          ...(isOpen ? [grant(team(domain, Team.certificates), 'ManageCA')] : []),
        ],
        ...collected,
      },
      EnrollmentAgentRestrictions: { Restrictions: [], ...collected },
      IsUserSpecifiesSanEnabled: { Value: isOpen, ...collected },
      RoleSeparationEnabled: { Value: false, ...collected },
    },
    HttpEnrollmentEndpoints: [
      {
        Result: {
          Url: `http://${name}.${domain.name}/certsrv/`,
          ADCSWebEnrollmentHTTP: isOpen,
          ADCSWebEnrollmentHTTPS: false,
          ADCSWebEnrollmentEPA: false,
        },
        ...collected,
      },
    ],
    EnabledCertTemplates: published.map((template) =>
      principal(guid(domain, Kind.CertTemplate, template), 'CertTemplate'),
    ),
    ContainedBy: place(domain, 1),
    Aces: [grant(enterpriseAdmins(domain), 'Owns'), ...owners(domain), grant(domainUsers(domain), 'Enroll')],
    ...fixed,
  };
}

function authority(domain: Domain, name: string, n: number, where: string): Record<string, unknown> {
  const thumb = thumbprint(domain, n);
  return {
    ...common(domain, `${name}@${domain.name}`, `CN=${name},CN=${where},${services}`),
    isaclprotected: false,
    description: null,
    whencreated: 1_420_070_400,
    certthumbprint: thumb,
    certname: thumb,
    certchain: [thumb],
    hasbasicconstraints: false,
    basicconstraintpathlength: 0,
  };
}

export function makeRoot(domain: Domain, n: number): object {
  return {
    ObjectIdentifier: guid(domain, Kind.RootCA, n),
    Properties: authority(domain, `${domain.short}-CA${n}`, n, 'CERTIFICATION AUTHORITIES'),
    DomainSID: domain.sid,
    ContainedBy: place(domain, 2),
    Aces: [grant(enterpriseAdmins(domain), 'Owns'), ...owners(domain)],
    ...fixed,
  };
}

export function makeAia(domain: Domain, n: number): object {
  return {
    ObjectIdentifier: guid(domain, Kind.AIACA, n),
    Properties: {
      ...authority(domain, `${domain.short}-CA${n}`, n, 'AIA'),
      crosscertificatepair: [],
      hascrosscertificatepair: false,
    },
    ContainedBy: place(domain, 3),
    Aces: [grant(enterpriseAdmins(domain), 'Owns'), ...owners(domain)],
    ...fixed,
  };
}

export function makeStore(domain: Domain): object {
  return {
    ObjectIdentifier: guid(domain, Kind.NTAuthStore, 0),
    Properties: {
      ...common(domain, `NTAuthCertificates@${domain.name}`, `CN=NTAUTHCERTIFICATES,${services}`),
      isaclprotected: false,
      description: null,
      whencreated: 1_420_070_400,
      certthumbprints: Array.from({ length: domain.counts.authorities }, (_, n) => thumbprint(domain, n)),
    },
    DomainSID: domain.sid,
    ContainedBy: place(domain, 0),
    Aces: [grant(enterpriseAdmins(domain), 'Owns'), ...owners(domain)],
    ...fixed,
  };
}

const policyOid = (domain: Domain, n: number) => `1.3.6.1.4.1.311.21.8.${domain.index + 1}.77.${n}`;

/** The first one makes its holders members of a group. */
export function makePolicy(domain: Domain, n: number): object {
  return {
    ObjectIdentifier: guid(domain, Kind.IssuancePolicy, n),
    Properties: {
      ...common(domain, `Assurance${n}@${domain.name}`, `CN=ASSURANCE${n},CN=OID,${services}`),
      isaclprotected: false,
      description: null,
      whencreated: 1_420_070_400,
      displayname: `Assurance ${n}`,
      certtemplateoid: policyOid(domain, n),
    },
    GroupLink: n === 0 ? principal(wellKnown(domain, 512), 'Group') : principal('', 'Base'),
    ContainedBy: place(domain, 0),
    Aces: [grant(enterpriseAdmins(domain), 'Owns'), ...owners(domain)],
    ...fixed,
  };
}
