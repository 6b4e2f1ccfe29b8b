import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { separateTls } from './postgres-tls.ts';

const plain = 'postgres://ann:p%40ss%2Fw@db.example:5433/kennel';

describe('separateTls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  const file = (name: string) => join(folder, name);
  const query = (parameters: Record<string, string>) => `${plain}?${new URLSearchParams(parameters)}`;

  before(() => {
    for (const name of ['ca.pem', 'client.pem', 'client.key'])
      writeFileSync(file(name), `content of ${name}`);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('leaves a URL without TLS parameters alone', () => {
    assert.deepEqual(separateTls(plain), { url: plain, ssl: undefined });
    const other = `${plain}?application_name=x`;
    assert.deepEqual(separateTls(other), { url: other, ssl: undefined });
  });

  it('takes a list of hosts', () => {
    const hosts = 'postgres://ann@one:5432,two:5433/kennel';
    assert.deepEqual(separateTls(`${hosts}?sslmode=disable`), { url: hosts, ssl: false });
  });

  it('leaves prefer and allow to the driver', () => {
    for (const sslmode of ['prefer', 'allow']) {
      assert.deepEqual(separateTls(query({ sslmode })), { url: query({ sslmode }), ssl: undefined });
    }
  });

  it('turns TLS off', () => {
    assert.deepEqual(separateTls(query({ sslmode: 'disable', connect_timeout: '5' })), {
      url: query({ connect_timeout: '5' }),
      ssl: false,
    });
  });

  it('encrypts without checking for require, and checks the authority where one is named', () => {
    const alone = separateTls(query({ sslmode: 'require' }));
    assert.equal(alone.url, plain);
    assert.ok(typeof alone.ssl === 'object');
    assert.equal(alone.ssl.rejectUnauthorized, false);

    const named = separateTls(query({ sslmode: 'require', sslrootcert: file('ca.pem') }));
    assert.equal(named.url, plain);
    assert.ok(typeof named.ssl === 'object');
    assert.equal(named.ssl.rejectUnauthorized, true);
    assert.equal(String(named.ssl.ca), 'content of ca.pem');
    assert.equal(named.ssl.checkServerIdentity?.('other.example', {} as never), undefined);
  });

  it('checks the authority for verify-ca, and the name too for verify-full', () => {
    const authority = separateTls(query({ sslmode: 'verify-ca', sslrootcert: file('ca.pem') })).ssl;
    assert.ok(typeof authority === 'object');
    assert.equal(authority.rejectUnauthorized, true);
    assert.equal(authority.checkServerIdentity?.('other.example', {} as never), undefined);

    const full = separateTls(query({ sslmode: 'verify-full', sslrootcert: file('ca.pem') })).ssl;
    assert.ok(typeof full === 'object');
    assert.equal(full.rejectUnauthorized, true);
    assert.equal(String(full.ca), 'content of ca.pem');
    assert.equal('checkServerIdentity' in full, false, "Node's own check of the name applies");
  });

  it("means the machine's own authorities by sslrootcert=system", () => {
    const { url, ssl } = separateTls(query({ sslmode: 'require', sslrootcert: 'system' }));
    assert.equal(url, plain);
    assert.ok(typeof ssl === 'object');
    assert.equal(ssl.rejectUnauthorized, true);
    assert.equal('ca' in ssl, false);
  });

  it('reads a certificate of its own', () => {
    const parameters = { sslmode: 'verify-full', sslcert: file('client.pem'), sslkey: file('client.key') };
    const { url, ssl } = separateTls(query(parameters));
    assert.equal(url, plain);
    assert.ok(typeof ssl === 'object');
    assert.equal(String(ssl.cert), 'content of client.pem');
    assert.equal(String(ssl.key), 'content of client.key');
  });

  it('names a file that it cannot read', () => {
    const missing = query({ sslmode: 'verify-full', sslrootcert: file('missing.pem') });
    assert.throws(() => separateTls(missing), /missing\.pem/);
  });
});
