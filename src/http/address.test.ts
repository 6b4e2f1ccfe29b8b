import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientAddress, placeOf } from './address.ts';

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

describe('the place of an address', () => {
  const places: Record<string, string> = {
    '203.0.113.9': '203.0.113.9',
    '::ffff:203.0.113.9': '203.0.113.9',
    '::FFFF:203.0.113.9': '203.0.113.9',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:01:0002::1': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '2001:db8:1:2::': '2001:db8:1:2::/64',
    '2001:db8:1:2:3::192.0.2.1': '2001:db8:1:2::/64',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '': '',
  };
  for (const [address, place] of Object.entries(places)) {
    it(`of ${address === '' ? 'nothing' : address} is ${place === '' ? 'nothing' : place}`, () => {
      assert.equal(placeOf(address), place);
    });
  }
});
