import { makeCertificate } from './certificates.ts';

export const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
export const soap = 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP';
export const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';

/** A plain document of an identity provider, with any part replaced. */
export interface MetadataParts {
  readonly prolog?: string;
  readonly entityAttributes?: string;
  readonly entityId?: string;
  readonly role?: string;
  readonly services?: string;
  readonly keys?: string;
}

export function keyDescriptor(base64: string, use: string | undefined = 'signing'): string {
  const attribute = use === '' ? '' : ` use="${use}"`;
  return `<KeyDescriptor${attribute}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`;
}

export function service(location: string, binding = post): string {
  return `<SingleSignOnService Binding="${binding}" Location="${location}"/>`;
}

let usual: string | undefined;
/** One certificate for all documents that are not about certificates. */
export function usualCertificate(): string {
  usual ??= makeCertificate();
  return usual;
}

export function makeMetadata(parts: MetadataParts = {}): string {
  const {
    prolog = '<?xml version="1.0" encoding="UTF-8"?>\n',
    entityId = 'https://idp.example/metadata',
    entityAttributes = `xmlns="${metadataNamespace}" entityID="${entityId}"`,
    services = service('https://idp.example/sso'),
    keys = keyDescriptor(usualCertificate()),
    role = `<IDPSSODescriptor protocolSupportEnumeration="${protocol}">\n${keys}\n${services}\n</IDPSSODescriptor>`,
  } = parts;
  return `${prolog}<EntityDescriptor ${entityAttributes}>\n${role}\n</EntityDescriptor>\n`;
}

/** A form as a browser sends it; bytes and strings of `metadata` go as a file. */
export async function providerForm(
  fields: Readonly<Record<string, string | Uint8Array | undefined>>,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (name === 'metadata') form.set(name, new Blob([value], { type: 'text/xml' }), 'idp.xml');
    else form.set(name, value as string);
  }
  const response = new Response(form);
  return {
    body: new Uint8Array(await response.arrayBuffer()),
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  };
}
