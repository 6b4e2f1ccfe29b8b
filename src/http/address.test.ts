import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientAddress } from './address.ts';

const peer = '192.0.2.1';
const from = (forwarded: string | undefined, trusted: number) =>
  clientAddress({ socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as never, {
    trustedProxies: async () => trusted,
  });

describe('the address of a caller', () => {
  it('is that of the connection unless proxies are trusted', async () => {
    assert.equal(await from('203.0.113.9', 0), peer);
    assert.equal(await from(undefined, 1), peer);
  });

  it('is the Nth from the right, and the first of too few', async () => {
    const chain = '198.51.100.7, 203.0.113.9, 203.0.113.10';
    assert.equal(await from(chain, 1), '203.0.113.10');
    assert.equal(await from(chain, 2), '203.0.113.9');
    assert.equal(await from(chain, 9), '198.51.100.7');
  });

  it('has no port, brackets or zone', async () => {
    assert.equal(await from('203.0.113.9:51234', 1), '203.0.113.9');
    assert.equal(await from('[2001:db8::1]:51234', 1), '2001:db8::1');
    assert.equal(await from('[2001:db8::1]', 1), '2001:db8::1');
    assert.equal(await from('fe80::1%eth0', 1), 'fe80::1');
  });

  it('is never what a caller put further left', async () => {
    for (const last of ['unknown', '_hidden', '', '2001:db8::zz', '999.1.1.1', 'a, b'])
      assert.equal(await from(`10.9.9.9, ${last}`, 1), peer, last);
  });
});
