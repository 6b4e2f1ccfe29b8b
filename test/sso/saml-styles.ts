import { makeCertificate } from './certificates.ts';
import { post, protocol, redirect, soap } from './saml-metadata.ts';

export interface Style {
  readonly product: string;
  readonly document: string | Uint8Array;
  readonly issuer: string;
  readonly ssoUrl: string;
  /** Those that signatures may be made with, in their order. */
  readonly certificates: readonly string[];
}

const md = 'urn:oasis:names:tc:SAML:2.0:metadata';
const ds = 'http://www.w3.org/2000/09/xmldsig#';
const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const inLines = (base64: string) => `\n${base64.replace(/.{64}/g, '$&\n          ')}\n        `;

/** Metadata in the manner of well-known products: their prefixes, their order, what else they put in. */
export function styles(): Style[] {
  return [entra(), okta(), adfs(), google(), keycloak()];
}

/** No prefix, a signature over itself, and roles of WS-Federation before the one that counts. */
function entra(): Style {
  const [first, second] = [
    makeCertificate({ commonName: 'Entra 1' }),
    makeCertificate({ commonName: 'Entra 2' }),
  ];
  const issuer = 'https://sts.example.net/6babcaad-604b-40ac-a9d7-9fd97c0b779f/';
  const ssoUrl = 'https://login.example.com/6babcaad-604b-40ac-a9d7-9fd97c0b779f/saml2';
  const key = (base64: string) =>
    `<KeyDescriptor use="signing"><KeyInfo xmlns="${ds}"><X509Data><X509Certificate>${base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
  return {
    product: 'Entra ID',
    issuer,
    ssoUrl,
    certificates: [first, second],
    document: `\ufeff<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_a1b2c3" entityID="${issuer}" xmlns="${md}"><Signature xmlns="${ds}"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#" /></SignedInfo><SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data><X509Certificate>${first}</X509Certificate></X509Data></KeyInfo></Signature><RoleDescriptor xsi:type="fed:SecurityTokenServiceType" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706">${key(first)}<fed:ClaimTypesOffered><auth:ClaimType Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name" xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706"><auth:DisplayName>Name</auth:DisplayName><auth:Description>The mutable display name of the user.</auth:Description></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor><IDPSSODescriptor protocolSupportEnumeration="${protocol}">${key(first)}${key(second)}<SingleLogoutService Binding="${redirect}" Location="${ssoUrl}" /><SingleSignOnService Binding="${redirect}" Location="${ssoUrl}" /><SingleSignOnService Binding="${post}" Location="${ssoUrl}" /></IDPSSODescriptor></EntityDescriptor>`,
  };
}

/** The prefix md, a certificate broken into lines, POST first. */
function okta(): Style {
  const certificate = makeCertificate({ commonName: 'dev-1, O=Okta' });
  const issuer = 'http://www.okta.example/exk1fcia6d6EMsf331d8';
  const ssoUrl = 'https://dev-1.okta.example/app/kennel/exk1fcia6d6EMsf331d8/sso/saml';
  return {
    product: 'Okta',
    issuer,
    ssoUrl,
    certificates: [certificate],
    document: `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="${issuer}" xmlns:md="${md}"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${protocol}"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${ds}"><ds:X509Data><ds:X509Certificate>${inLines(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat><md:NameIDFormat>${email}</md:NameIDFormat><md:SingleSignOnService Binding="${post}" Location="${ssoUrl}"/><md:SingleSignOnService Binding="${redirect}" Location="${ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
  };
}

/** Both roles, two federation roles, encryption before signing, SOAP, attributes; in UTF-16 as Windows tools save it. */
function adfs(): Style {
  const signing = makeCertificate({ commonName: 'ADFS Signing - adfs.corp.example' });
  const next = makeCertificate({ commonName: 'ADFS Signing - next', from: Date.now() + 86_400_000 });
  const encryption = makeCertificate({ commonName: 'ADFS Encryption - adfs.corp.example' });
  const issuer = 'http://adfs.corp.example/adfs/services/trust';
  const ssoUrl = 'https://adfs.corp.example/adfs/ls/';
  const key = (use: string, base64: string) =>
    `<KeyDescriptor use="${use}"><KeyInfo xmlns="${ds}"><X509Data><X509Certificate>${base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
  const federation = (type: string) =>
    `<RoleDescriptor xsi:type="fed:${type}" protocolSupportEnumeration="http://docs.oasis-open.org/ws-sx/ws-trust/200512 http://schemas.xmlsoap.org/ws/2005/02/trust http://docs.oasis-open.org/wsfed/federation/200706" ServiceDisplayName="Corp &amp; Co" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706">${key('encryption', encryption)}<fed:TargetScopes><EndpointReference xmlns="http://www.w3.org/2005/08/addressing"><Address>${ssoUrl}</Address></EndpointReference></fed:TargetScopes></RoleDescriptor>`;
  const text = `<?xml version="1.0" encoding="utf-16"?>\r\n<EntityDescriptor ID="_0f" entityID="${issuer}" xmlns="${md}">${federation('ApplicationServiceType')}${federation('SecurityTokenServiceType')}<SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">${key('encryption', encryption)}${key('signing', encryption)}<AssertionConsumerService Binding="${post}" Location="${ssoUrl}" index="0" isDefault="true"/></SPSSODescriptor><IDPSSODescriptor protocolSupportEnumeration="${protocol}">${key('encryption', encryption)}${key('signing', signing)}${key('signing', next)}<SingleLogoutService Binding="${redirect}" Location="${ssoUrl}"/><NameIDFormat>${email}</NameIDFormat><SingleSignOnService Binding="${redirect}" Location="${ssoUrl}"/><SingleSignOnService Binding="${post}" Location="${ssoUrl}"/><SingleSignOnService Binding="${soap}" Location="${ssoUrl}"/><Attribute Name="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" FriendlyName="E-Mail Address" xmlns="urn:oasis:names:tc:SAML:2.0:assertion"/></IDPSSODescriptor><ContactPerson contactType="support"/></EntityDescriptor>`;
  return {
    product: 'ADFS',
    issuer,
    ssoUrl,
    certificates: [signing, next],
    document: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
  };
}

/** validUntil, no XML signature, redirect before POST, a query in the address. */
function google(): Style {
  const certificate = makeCertificate({ commonName: 'Google, OU=Google For Work' });
  const issuer = 'https://accounts.google.example/o/saml2?idpid=C01abc234';
  const ssoUrl = 'https://accounts.google.example/o/saml2/idp?idpid=C01abc234&hl=en';
  const escaped = ssoUrl.replace('&', '&amp;');
  return {
    product: 'Google Workspace',
    issuer,
    ssoUrl,
    certificates: [certificate],
    document: `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<md:EntityDescriptor xmlns:md="${md}" entityID="${issuer}" validUntil="2099-03-04T10:12:42.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${protocol}">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="${ds}">
        <ds:X509Data>
          <ds:X509Certificate>${inLines(certificate)}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>${email}</md:NameIDFormat>
    <md:SingleSignOnService Binding="${redirect}" Location="${escaped}"/>
    <md:SingleSignOnService Binding="${post}" Location="${escaped}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>
`,
  };
}

/** Wrapped in EntitiesDescriptor, a key without a use, a key name, an EC certificate, http on localhost. */
function keycloak(): Style {
  const certificate = makeCertificate({ commonName: 'master', key: 'ec' });
  const issuer = 'http://localhost:8081/realms/master';
  const ssoUrl = 'http://localhost:8081/realms/master/protocol/saml';
  return {
    product: 'Keycloak',
    issuer,
    ssoUrl,
    certificates: [certificate],
    document: `<md:EntitiesDescriptor xmlns="${md}" xmlns:md="${md}" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ds="${ds}" Name="urn:keycloak"><!-- one realm --><md:EntityDescriptor entityID="${issuer}"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol ${protocol}"><md:KeyDescriptor><ds:KeyInfo><ds:KeyName>8bX_k</ds:KeyName><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:ArtifactResolutionService Binding="${soap}" Location="${ssoUrl}/resolve" index="0"/><md:NameIDFormat>${email}</md:NameIDFormat><md:SingleSignOnService Binding="${post}" Location="${ssoUrl}"/><md:SingleSignOnService Binding="${redirect}" Location="${ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor></md:EntitiesDescriptor>`,
  };
}
