import { isLoopback } from '../../config.ts';
import { hasHiddenCharacters, quoteShort } from '../../values/text.ts';
import { formatRfc3339, parseRfc3339 } from '../../values/time.ts';
import { readCertificate, type SigningCertificate, untimely } from './certificates.ts';
import { decodeXml } from './encoding.ts';
import { parseXml, type XmlElement } from './xml.ts';
import { XmlProblem } from './xml-problem.ts';

/** What an identity provider says of itself, as far as Kennel needs it. */
export interface Metadata {
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly certificates: readonly SigningCertificate[];
  /** The earliest end of validity that the document states. */
  readonly validUntil: number | undefined;
  /** The document itself. */
  readonly xml: string;
}

/** Lists everything that is wrong with a document. */
export class MetadataError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'MetadataError';
    this.problems = problems;
  }
}

export const maxMetadataBytes = 256 * 1024;

const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';
const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const longestEntityId = 1024;
const longestLocation = 2048;
const mostCertificates = 20;

/** Reads metadata strictly; whether it is in force at this moment is for `checkValidity`. */
export function readMetadata(bytes: Uint8Array): Metadata {
  if (bytes.length > maxMetadataBytes)
    throw new MetadataError([
      `the document has ${bytes.length} bytes; it may have at most ${maxMetadataBytes}`,
    ]);
  try {
    const xml = decodeXml(bytes);
    const problems: string[] = [];
    const metadata = interpret(parseXml(xml), problems);
    if (metadata === undefined || problems.length > 0) throw new MetadataError(problems);
    return { ...metadata, xml };
  } catch (error) {
    throw error instanceof XmlProblem ? new MetadataError([error.message]) : error;
  }
}

/** What is wrong with using it now, and what somebody should know although it can be used. */
export function checkValidity(
  { certificates, validUntil }: Pick<Metadata, 'certificates' | 'validUntil'>,
  now: number,
): { problems: string[]; warnings: string[] } {
  const late = certificates
    .map((certificate) => untimely(certificate, now))
    .filter((text) => text !== undefined);
  const noneValid = late.length === certificates.length;
  const problems = noneValid ? late.map((text) => `${text}, and no other signing certificate is valid`) : [];
  if (validUntil !== undefined && validUntil <= now)
    problems.push(`the metadata was valid until ${formatRfc3339(validUntil)} only (validUntil)`);
  return { problems, warnings: noneValid ? [] : late };
}

type Interpreted = Omit<Metadata, 'xml'>;

function interpret(root: XmlElement, problems: string[]): Interpreted | undefined {
  const reject = (message: string, { where }: XmlElement) => {
    problems.push(`${message} (${where})`);
    return undefined;
  };
  const entity = findEntity(root, reject);
  if (entity === undefined) return undefined;
  const entityId = entity.attributes.get('entityID') ?? '';
  if (entityId.trim() === '') reject('EntityDescriptor must have an entityID', entity);
  if (/\s/.test(entityId.trim()) || hasHiddenCharacters(entityId))
    reject('entityID must not have blanks, line breaks or invisible characters', entity);
  if (entityId.length > longestEntityId)
    reject(`entityID has ${entityId.length} characters; it may have at most ${longestEntityId}`, entity);
  const role = findRole(entity, reject);
  if (role === undefined) return undefined;
  const ssoUrl = findLocation(role, reject);
  const certificates = findCertificates(role, reject);
  const ends = [root, entity, role]
    .map((element) => readEnd(element, reject))
    .filter((at) => at !== undefined);
  if (ssoUrl === undefined) return undefined;
  return { entityId, ssoUrl, certificates, validUntil: ends.length === 0 ? undefined : Math.min(...ends) };
}

type Reject = (message: string, at: XmlElement) => undefined;

function findEntity(root: XmlElement, reject: Reject): XmlElement | undefined {
  if (root.name !== 'EntityDescriptor' && root.name !== 'EntitiesDescriptor')
    return reject(`the root element must be EntityDescriptor, but is ${quoteShort(root.name, 60)}`, root);
  if (root.namespace !== metadataNamespace)
    return reject(
      `the root element must be in the namespace ${metadataNamespace}, but is in ${quoteShort(root.namespace, 100)}`,
      root,
    );
  const entities = entitiesIn(root);
  const [entity] = entities;
  if (entities.length === 1) return entity;
  return reject(
    `EntitiesDescriptor must hold exactly one EntityDescriptor, but holds ${entities.length}: send the one of your identity provider`,
    root,
  );
}

function entitiesIn(element: XmlElement): XmlElement[] {
  if (element.name === 'EntityDescriptor') return [element];
  return [...childrenOf(element, 'EntitiesDescriptor'), ...childrenOf(element, 'EntityDescriptor')].flatMap(
    entitiesIn,
  );
}

function findRole(entity: XmlElement, reject: Reject): XmlElement | undefined {
  const roles = childrenOf(entity, 'IDPSSODescriptor');
  if (roles.length === 0)
    return reject('there is no IDPSSODescriptor: this is not the metadata of an identity provider', entity);
  const usable = roles.filter((role) =>
    (role.attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(protocol),
  );
  const [role] = usable;
  if (usable.length === 1) return role;
  return reject(
    usable.length === 0
      ? `no IDPSSODescriptor supports SAML 2.0: protocolSupportEnumeration must name ${protocol}`
      : `there are ${usable.length} IDPSSODescriptors that support SAML 2.0; exactly one is needed`,
    entity,
  );
}

function findLocation(role: XmlElement, reject: Reject): string | undefined {
  const services = childrenOf(role, 'SingleSignOnService');
  const service = services.find((candidate) => candidate.attributes.get('Binding') === postBinding);
  if (service === undefined) {
    const others = services.map(({ attributes }) => quoteShort(attributes.get('Binding') ?? '', 80));
    const found = others.length === 0 ? 'none at all' : `only ${others.slice(0, 5).join(', ')}`;
    return reject(
      `there must be a SingleSignOnService with the binding ${postBinding}; there is ${found}`,
      role,
    );
  }
  const location = service.attributes.get('Location') ?? '';
  const problem = locationProblem(location);
  return problem === undefined
    ? location
    : reject(`Location of SingleSignOnService ${problem}, but is ${quoteShort(location)}`, service);
}

function locationProblem(location: string): string | undefined {
  if (location.length > longestLocation) return `may have at most ${longestLocation} characters`;
  const rule = 'must be an absolute https URL';
  // The parser of URLs mends what it can; a browser that is sent there must not have to.
  if (!/^https?:\/\/[^\s/?#\\]+/i.test(location) || /[\s\\<>"]/.test(location)) return rule;
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url === undefined) return rule;
  if (url.username !== '' || url.password !== '') return `${rule} without a user name`;
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined;
  return `${rule}; http is taken for localhost only`;
}

function findCertificates(role: XmlElement, reject: Reject): SigningCertificate[] {
  const elements: XmlElement[] = [];
  for (const key of childrenOf(role, 'KeyDescriptor')) {
    const use = key.attributes.get('use') ?? 'signing';
    if (use !== 'signing' && use !== 'encryption')
      reject(`use of KeyDescriptor must be signing or encryption, but is ${quoteShort(use, 40)}`, key);
    if (use !== 'signing') continue;
    elements.push(
      ...childrenOf(key, 'KeyInfo', signatureNamespace)
        .flatMap((info) => childrenOf(info, 'X509Data', signatureNamespace))
        .flatMap((data) => childrenOf(data, 'X509Certificate', signatureNamespace)),
    );
  }
  if (elements.length === 0)
    reject(
      'there is no KeyDescriptor for signing with an X509Certificate: signatures could not be checked',
      role,
    );
  if (elements.length > mostCertificates) {
    reject(`there are ${elements.length} signing certificates; at most ${mostCertificates} are taken`, role);
    return [];
  }
  const found = new Map<string, SigningCertificate>();
  for (const element of elements) {
    const [inside] = element.children;
    if (inside !== undefined) reject('X509Certificate must hold nothing but base64', inside);
    const certificate = readCertificate(element.text);
    if ('problem' in certificate) reject(`the certificate ${certificate.problem}`, element);
    else found.set(certificate.base64, certificate);
  }
  return [...found.values()];
}

function readEnd(element: XmlElement, reject: Reject): number | undefined {
  const text = element.attributes.get('validUntil');
  if (text === undefined) return undefined;
  // A time without a zone is in UTC: SAML knows no other.
  const at = parseRfc3339(text.trim()) ?? parseRfc3339(`${text.trim()}Z`);
  return at ?? reject(`validUntil must be a date-time, but is ${quoteShort(text, 60)}`, element);
}

function childrenOf(element: XmlElement, name: string, namespace = metadataNamespace): XmlElement[] {
  return element.children.filter((child) => child.name === name && child.namespace === namespace);
}
