import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { type CertificateOptions, makeCertificate } from '../../../test/sso/certificates.ts';
import { keyDescriptor, makeMetadata, providerForm } from '../../../test/sso/saml-metadata.ts';

const weak: [what: string, options: CertificateOptions, reason: RegExp][] = [
  [
    'a key on a curve of 112 bits',
    { key: 'secp112r1' },
    /EC key on the curve secp112r1; it must be P-256, P-384 or P-521/,
  ],
  ['a key on a curve of 256 bits that is none of these', { key: 'secp256k1' }, /curve secp256k1/],
  ['a key of 1024 bits', { key: 'rsa1024' }, /RSA key of 1024 bits/],
  [
    'a signature with SHA-1',
    { hash: 'sha1' },
    /is signed with SHA-1; it must be signed with SHA-256, SHA-384 or SHA-512/,
  ],
  ['a signature with ECDSA and SHA-1', { key: 'ec', hash: 'sha1' }, /is signed with SHA-1/],
  ['a signature with MD5', { hash: 'md5' }, /is signed with MD5/],
];

describe('POST /api/v2/saml/providers with a certificate', () => {
  let server: TestServer;
  let admin: MadeUser;
  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });
  after(() => server.stop());
  const create = async (options: CertificateOptions) => {
    const metadata = makeMetadata({ keys: keyDescriptor(makeCertificate(options)) });
    const form = await providerForm({ name: `corp-${options.key ?? 'usual'}`, metadata });
    return server.call('POST', '/api/v2/saml/providers', { token: admin.token, ...form });
  };

  for (const key of ['ec', 'P-384', 'rsa2048'] as const) {
    it(`answers 201 for a key of ${key}`, async () => {
      const { status, text } = await create({ key, commonName: key });
      assert.equal(status < 300, true, text);
    });
  }

  for (const [what, options, reason] of weak) {
    it(`answers 400 for ${what}`, async () => {
      const { status, body } = await create(options);
      assert.deepEqual([status, body.errors[0].context], [400, 'metadata']);
      assert.match(body.errors[0].message, reason);
    });
  }
});
