import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { makeCertificate } from '../../../test/sso/certificates.ts';
import {
  keyDescriptor,
  makeMetadata,
  metadataNamespace,
  protocol,
  providerForm,
  redirect,
  service,
  soap,
  usualCertificate,
} from '../../../test/sso/saml-metadata.ts';

const day = 86_400_000;
const now = Date.now();
const usual = makeMetadata();
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const withKeys = (...keys: string[]) => makeMetadata({ keys: keys.join('\n') });
const withLocation = (location: string) => makeMetadata({ services: service(location) });
const inside = (text: string) => usual.replace('<KeyDescriptor', `${text}<KeyDescriptor`);
const bare = makeMetadata({ prolog: '' });
const usualDer = Buffer.from(usualCertificate(), 'base64');

const laughs = Array.from(
  { length: 10 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
).join('');

type Bad = [description: string, document: string | Uint8Array, ...reasons: RegExp[]];
const documents: Bad[] = [
  ['empty', '', /the document is empty/],
  ['only blanks', ' \n ', /the document is empty/],
  ['JSON', '{"entityID":"x"}', /not well-formed XML.*text where only one XML element/],
  ['HTML', '<html><body>Sign in</body></html>', /root element must be EntityDescriptor, but is "html"/],
  ['truncated', usual.slice(0, -60), /ends before all of its elements are closed/, /line \d+, column \d+/],
  ['cut off in a tag', usual.slice(0, usual.indexOf('Location=')), /ends before all of its elements/],
  ['tags that do not match', usual.replace('</IDPSSODescriptor>', '</Other>'), /closing tag does not match/],
  ['two roots', `${usual}<more/>`, /second root element/],
  ['text after the root', `${usual}more`, /text where only one XML element/],
  [
    'an attribute given twice',
    makeMetadata({ entityAttributes: `xmlns="${metadataNamespace}" entityID="a" entityID="b"` }),
    /same attribute twice/,
    /line 2/,
  ],
  ['a prefix that nothing declares', inside('<x:Key/>'), /prefix is used that nothing declares/],
  ['a control character', inside('\u0001'), /character that XML does not allow/],
  ['a reference to U+0000', inside('&#0;'), /character reference or entity is malformed/],

  ['a plain DOCTYPE', makeMetadata({ prolog: '<!DOCTYPE EntityDescriptor>' }), /DOCTYPE is not allowed/],
  [
    'billion laughs',
    makeMetadata({
      prolog: `${declaration}<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>`,
      entityId: '&l10;',
    }),
    /DOCTYPE is not allowed/,
  ],
  [
    'an external entity',
    makeMetadata({
      prolog: '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>',
      entityId: '&secret;',
    }),
    /DOCTYPE is not allowed/,
  ],
  [
    'a quadratic blow-up',
    makeMetadata({
      prolog: `<!DOCTYPE x [<!ENTITY long "${'a'.repeat(50_000)}">]>`,
      entityId: '&long;'.repeat(5000),
    }),
    /DOCTYPE is not allowed/,
  ],
  [
    'a parameter entity from elsewhere',
    makeMetadata({ prolog: '<!DOCTYPE x [<!ENTITY % d SYSTEM "http://127.0.0.1:9/d.dtd"> %d;]>' }),
    /DOCTYPE is not allowed/,
  ],
  ['an entity of its own', inside('&company;'), /entity is used that is not one of/],
  ['an entity named like a member of objects', inside('&constructor;'), /entity is used that is not one of/],
  [
    'a processing instruction',
    makeMetadata({ prolog: '<?xml-stylesheet href="https://evil.example/x.xsl"?>' }),
    /processing instruction "xml-stylesheet" is not allowed/,
  ],

  [
    'another declared encoding',
    bare.replace(/^/, '<?xml version="1.0" encoding="ISO-8859-1"?>'),
    /declares the encoding "ISO-8859-1"/,
  ],
  [
    'UTF-16 declared in a UTF-8 file',
    bare.replace(/^/, '<?xml version="1.0" encoding="UTF-16"?>'),
    /declares the encoding "UTF-16".*read as UTF-8/,
  ],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from('<a>'), Buffer.from([0xc3, 0x28]), Buffer.from('</a>')]),
    /not valid UTF-8 \(at byte offset 3\)/,
  ],
  ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x3c, 0x00, 0x61]), /not valid UTF-16/],
  ['UTF-16 without a mark', Buffer.from(usual, 'utf16le'), /UTF-16 without a byte order mark/],

  ['too large', inside(' '.repeat(256 * 1024)), /metadata may have at most 262144 bytes, and has \d+/],
  ['too deep', inside('<a>'.repeat(40) + '</a>'.repeat(40)), /nested over 32 levels deep/],
  ['too many elements', inside('<a/>'.repeat(6000)), /more than 5000 elements/],
  [
    'too many attributes',
    inside(`<a ${Array.from({ length: 70 }, (_, n) => `a${n}=""`).join(' ')}/>`),
    /more than 64 attributes/,
  ],

  ['another root element', `<IDPSSODescriptor xmlns="${metadataNamespace}"/>`, /but is "IDPSSODescriptor"/],
  [
    'another namespace',
    makeMetadata({ entityAttributes: 'xmlns="urn:example:other" entityID="a"' }),
    /must be in the namespace urn:oasis:names:tc:SAML:2\.0:metadata, but is in "urn:example:other"/,
  ],
  ['no namespace', makeMetadata({ entityAttributes: 'entityID="a"' }), /must be in the namespace/],
  [
    'two entities',
    `<EntitiesDescriptor xmlns="${metadataNamespace}">${bare}<EntitiesDescriptor>${bare}</EntitiesDescriptor></EntitiesDescriptor>`,
    /exactly one EntityDescriptor, but holds 2/,
  ],
  ['no entity', `<EntitiesDescriptor xmlns="${metadataNamespace}"/>`, /but holds 0/],
  [
    'no entityID',
    makeMetadata({ entityAttributes: `xmlns="${metadataNamespace}"` }),
    /must have an entityID/,
    /EntityDescriptor, line 2, column 1/,
  ],
  ['a blank entityID', makeMetadata({ entityId: '  ' }), /must have an entityID/],
  ['a long entityID', makeMetadata({ entityId: 'e'.repeat(1025) }), /entityID has 1025 characters/],
  [
    'no role of an identity provider',
    makeMetadata({ role: `<SPSSODescriptor protocolSupportEnumeration="${protocol}"/>` }),
    /no IDPSSODescriptor/,
  ],
  ['another protocol', usual.replace(protocol, 'urn:oasis:names:tc:SAML:1.1:protocol'), /supports SAML 2\.0/],
  [
    'two roles',
    usual.replace(/<IDPSSODescriptor[\s\S]*<\/IDPSSODescriptor>/, (role) => role + role),
    /2 IDPSSODescriptors/,
  ],

  [
    'other bindings only',
    makeMetadata({
      services: service('https://idp.example/r', redirect) + service('https://idp.example/s', soap),
    }),
    /SingleSignOnService with the binding \S+HTTP-POST; there is only ".*HTTP-Redirect", ".*SOAP"/,
    /EntityDescriptor\/IDPSSODescriptor, line 3/,
  ],
  ['no sign-on service', makeMetadata({ services: '' }), /there is none at all/],
  [
    'a relative Location',
    withLocation('/sso'),
    /Location of SingleSignOnService must be an absolute https URL, but is "\/sso"/,
    /IDPSSODescriptor\/SingleSignOnService, line 5, column 1/,
  ],
  ['no Location', usual.replace(/ Location="[^"]*"/, ''), /must be an absolute https URL, but is ""/],
  ['a javascript: Location', withLocation('javascript:alert(1)'), /must be an absolute https URL/],
  ['a data: Location', withLocation('data:text/html,x'), /must be an absolute https URL/],
  ['an http Location', withLocation('http://idp.example/sso'), /http is taken for localhost only/],
  ['a Location that hides http', withLocation('http://localhost.evil.example/'), /localhost only/],
  ['a Location with a user name', withLocation('https://a:b@idp.example/'), /without a user name/],
  ['a Location with a backslash', withLocation('https:\\\\idp.example\\sso'), /absolute https URL/],
  ['a long Location', withLocation(`https://idp.example/${'a'.repeat(2048)}`), /at most 2048 characters/],

  ['no certificate', withKeys(), /no KeyDescriptor for signing with an X509Certificate/],
  [
    'a certificate for encryption only',
    withKeys(keyDescriptor(usualCertificate(), 'encryption')),
    /no KeyDescriptor for signing/,
  ],
  ['a key without a certificate', withKeys('<KeyDescriptor use="signing"/>'), /no KeyDescriptor for signing/],
  [
    'a certificate in the wrong namespace',
    usual.replace('http://www.w3.org/2000/09/xmldsig#', 'urn:example:other'),
    /no KeyDescriptor for signing/,
  ],
  ['an unknown use', withKeys(keyDescriptor(usualCertificate(), 'both')), /must be signing or encryption/],
  ['an empty certificate', withKeys(keyDescriptor(' ')), /the certificate is empty/],
  [
    'malformed base64',
    withKeys(keyDescriptor('MIIC*not base64*')),
    /the certificate is not base64/,
    /KeyInfo\/X509Data\/X509Certificate, line 4/,
  ],
  ['base64 of something else', withKeys(keyDescriptor('aGVsbG8=')), /not of an X\.509 certificate/],
  [
    'a certificate with bytes behind it',
    withKeys(keyDescriptor(Buffer.concat([usualDer, Buffer.alloc(3)]).toString('base64'))),
    /not of an X\.509 certificate/,
  ],
  [
    'an RSA key of 1024 bits',
    withKeys(keyDescriptor(makeCertificate({ key: 'rsa1024' }))),
    /key of 1024 bits/,
  ],
  [
    'a key of another type',
    withKeys(keyDescriptor(makeCertificate({ key: 'ed25519' }))),
    /key of type ed25519/,
  ],
  [
    'a bad certificate next to a good one',
    withKeys(keyDescriptor(usualCertificate()), keyDescriptor('aGVsbG8=')),
    /not of an X\.509 certificate/,
  ],
  [
    'only expired certificates',
    withKeys(
      keyDescriptor(makeCertificate({ commonName: 'old', from: now - 9 * day, to: Date.UTC(2020, 0, 2) })),
      keyDescriptor(makeCertificate({ commonName: 'older', key: 'ec', to: Date.UTC(2019, 4, 6) })),
    ),
    /the certificate of CN=old expired at 2020-01-02T00:00:00Z/,
    /the certificate of CN=older expired at 2019-05-06T00:00:00Z/,
  ],
  [
    'a certificate that is not valid yet',
    withKeys(
      keyDescriptor(
        makeCertificate({ commonName: 'new', from: Date.UTC(2100, 0, 1), to: Date.UTC(2101, 0) }),
      ),
    ),
    /the certificate of CN=new is not valid before 2100-01-01T00:00:00Z/,
  ],
  [
    'more certificates than anyone has',
    withKeys(...Array.from({ length: 21 }, () => keyDescriptor(usualCertificate()))),
    /there are 21 signing certificates/,
  ],
  [
    'metadata of the past',
    usual.replace('entityID', 'validUntil="2020-01-01T00:00:00Z" entityID'),
    /valid until 2020-01-01T00:00:00Z only/,
  ],
  ['a validUntil that is no time', usual.replace('entityID', 'validUntil="soon" entityID'), /but is "soon"/],
];

describe('POST /api/v2/saml/providers, metadata refused', () => {
  let server: TestServer;
  let admin: MadeUser;

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(async () => {
    const left = await server.deps.db.query('select id from sso_providers');
    const records = (await auditRows(server.deps)).filter(({ action }) => /Provider/.test(action));
    await server.stop();
    assert.deepEqual([left.length, records], [0, []], 'a refusal changes nothing');
  });

  for (const [description, document, ...reasons] of documents) {
    it(`answers 400 for ${description}`, async () => {
      const form = await providerForm({ name: 'corp', metadata: document });
      const answer = await server.call('POST', '/api/v2/saml/providers', { token: admin.token, ...form });
      assert.equal(answer.status, 400, answer.text);
      const messages = answer.body.errors.map(({ message }: { message: string }) => message).join('\n');
      for (const reason of reasons) assert.match(messages, reason);
      assert.ok(answer.body.errors.every(({ context }: { context: string }) => context === 'metadata'));
      assert.doesNotMatch(messages, /root:x:|saxes|node_modules/);
    });
  }

  it('answers 400 with everything that is wrong, the name and the role included', async () => {
    const bad = makeMetadata({ services: service('/sso'), keys: keyDescriptor('x') });
    const form = await providerForm({
      name: 'a/b',
      metadata: bad,
      'config.auto_provision.enabled': 'yes',
      'config.auto_provision.default_role_id': '99',
    });
    const { status, body } = await server.call('POST', '/api/v2/saml/providers', {
      token: admin.token,
      ...form,
    });
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ context }: { context: string }) => context),
      [
        'name',
        'metadata',
        'metadata',
        'config.auto_provision.enabled',
        'config.auto_provision.default_role_id',
      ],
    );
  });
});
