import { authorityHost, oldAuthorities } from './computers.ts';
import {
  type Ace,
  collected,
  commonProperties,
  corp,
  type DemoDomain,
  grant,
  guid,
  plant,
  principal,
  thumbprint,
  untouched,
  wellKnown,
} from './domain.ts';
import { teams } from './groups.ts';
import { container } from './places.ts';
import { isOn, story } from './story.ts';

const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const serverAuthentication = '1.3.6.1.5.5.7.3.1';
const codeSigning = '1.3.6.1.5.5.7.3.3';
const services = 'CN=PUBLIC KEY SERVICES,CN=SERVICES,CN=CONFIGURATION';

interface Authority {
  readonly name: string;
  readonly domain: DemoDomain;
  readonly host: string;
}

const issuing = (domain: DemoDomain, number: number): Authority => ({
  name: `${domain.short}-ISSUING-${String(number).padStart(2, '0')}`,
  domain,
  host: authorityHost(domain, number),
});

function authoritiesAt(day: number): Authority[] {
  const count = oldAuthorities + (isOn(story.newAuthority, day) ? 1 : 0);
  return [...Array.from({ length: count }, (_, index) => issuing(corp, index + 1)), issuing(plant, 1)];
}

type TemplateName = 'OFFLINE-ROUTER' | 'CODE-SIGNING' | 'SMARTCARD-LOGON' | 'VPN-USER' | 'WEB-SERVER';

interface Template {
  readonly name: TemplateName;
  readonly purpose: string;
  readonly enrollers: string;
  /** How many of the authorities issue it. */
  readonly published: number;
}

const templates: readonly Template[] = [
  { name: 'OFFLINE-ROUTER', purpose: clientAuthentication, enrollers: teams.serverAdmins, published: 0 },
  { name: 'CODE-SIGNING', purpose: codeSigning, enrollers: wellKnown(corp, 512), published: 1 },
  { name: 'SMARTCARD-LOGON', purpose: clientAuthentication, enrollers: wellKnown(corp, 512), published: 2 },
  { name: 'VPN-USER', purpose: clientAuthentication, enrollers: wellKnown(corp, 513), published: 2 },
  { name: 'WEB-SERVER', purpose: serverAuthentication, enrollers: teams.serverAdmins, published: 99 },
];

export const templateId = (name: TemplateName) => guid(name);
const authorityId = (name: string) => guid(`authority ${name}`);

function ownersRights(domain: DemoDomain): Ace[] {
  const owner = wellKnown(corp, 519);
  return [grant(owner, 'Owns'), grant(owner, 'GenericAll'), grant(wellKnown(domain, 512), 'GenericAll')];
}

const inServices = { ContainedBy: container(corp, 'Public Key Services'), ...untouched };

export function makeTemplates(day: number): object[] {
  return templates.map(({ name, purpose, enrollers }) => {
    const isChosen = name === 'WEB-SERVER' || (name === 'VPN-USER' && isOn(story.misconfiguredTemplate, day));
    return {
      ObjectIdentifier: templateId(name),
      Properties: {
        ...commonProperties(corp, `${name}@${corp.name}`, `CN=${name},CN=CERTIFICATE TEMPLATES,${services}`),
        displayname: name.toLowerCase(),
        oid: `1.3.6.1.4.1.311.21.8.4711.${templates.findIndex((other) => other.name === name)}`,
        validityperiod: '1 year',
        renewalperiod: '6 weeks',
        schemaversion: 2,
        certificatenameflag: isChosen ? 'ENROLLEE_SUPPLIES_SUBJECT' : 'SUBJECT_ALT_REQUIRE_UPN',
        enrolleesuppliessubject: isChosen,
        subjectaltrequireupn: !isChosen,
        subjectaltrequirespn: false,
        subjectaltrequiredns: false,
        subjectaltrequiredomaindns: false,
        requiresmanagerapproval: false,
        nosecurityextension: false,
        authorizedsignatures: 0,
        ekus: [purpose],
        effectiveekus: [purpose],
        applicationpolicies: [],
        issuancepolicies: [],
        authenticationenabled: purpose === clientAuthentication,
      },
      Aces: [...ownersRights(corp), grant(enrollers, 'Enroll')],
      ...inServices,
    };
  });
}

const rootName = 'CORP-ROOT';

function certificate(name: string, chain: readonly string[]): Record<string, unknown> {
  return {
    certthumbprint: thumbprint(name),
    certname: thumbprint(name),
    certchain: chain.map(thumbprint),
    hasbasicconstraints: false,
    basicconstraintpathlength: 0,
  };
}

export function makeAuthorities(domain: DemoDomain, day: number): object[] {
  return authoritiesAt(day)
    .map((authority, number) => ({ authority, number }))
    .filter(({ authority }) => authority.domain === domain)
    .map(({ authority, number }) => makeAuthority(authority, number));
}

function makeAuthority({ name, domain, host }: Authority, number: number): object {
  const managers = ['ManageCA', 'ManageCertificates'].map((right) => grant(wellKnown(domain, 512), right));
  const enroll = [grant(wellKnown(domain, 513), 'Enroll'), grant(wellKnown(domain, 515), 'Enroll')];
  const operators =
    domain === corp && number === 0 ? [grant(teams.certificateOperators, 'ManageCertificates')] : [];
  return {
    ObjectIdentifier: authorityId(name),
    Properties: {
      ...commonProperties(domain, `${name}@${domain.name}`, `CN=${name},CN=ENROLLMENT SERVICES,${services}`),
      ...certificate(name, [name, rootName]),
      caname: name,
      dnshostname: `${name}.${domain.name}`,
      flags: 'SUPPORTS_NT_AUTHENTICATION, CA_SERVERTYPE_ADVANCED',
      casecuritycollected: true,
      enrollmentagentrestrictionscollected: true,
      isuserspecifiessanenabledcollected: true,
      roleseparationenabledcollected: true,
    },
    HostingComputer: host,
    CARegistryData: {
      CASecurity: { Data: [...managers, ...enroll, ...operators], ...collected },
      EnrollmentAgentRestrictions: { Restrictions: [], ...collected },
      IsUserSpecifiesSanEnabled: { Value: false, ...collected },
      RoleSeparationEnabled: { Value: false, ...collected },
    },
    EnabledCertTemplates: templates
      .filter(({ published }) => number < published)
      .map((template) => principal(templateId(template.name), 'CertTemplate')),
    Aces: [...ownersRights(domain), ...enroll],
    ...inServices,
  };
}

export function makeRoots(): object[] {
  return [
    {
      ObjectIdentifier: guid(`root ${rootName}`),
      Properties: {
        ...commonProperties(
          corp,
          `${rootName}@${corp.name}`,
          `CN=${rootName},CN=CERTIFICATION AUTHORITIES,${services}`,
        ),
        ...certificate(rootName, [rootName]),
      },
      DomainSID: corp.sid,
      Aces: ownersRights(corp),
      ...inServices,
    },
  ];
}

export function makeLogonStores(day: number): object[] {
  return [
    {
      ObjectIdentifier: guid('NTAuthCertificates'),
      Properties: {
        ...commonProperties(corp, `NTAUTHCERTIFICATES@${corp.name}`, `CN=NTAUTHCERTIFICATES,${services}`),
        certthumbprints: authoritiesAt(day).map(({ name }) => thumbprint(name)),
      },
      DomainSID: corp.sid,
      Aces: ownersRights(corp),
      ...inServices,
    },
  ];
}
