import assert from 'node:assert/strict';
import test from 'node:test';
import { largestNetworkOf, networksOf, truncateAddress } from './ip-address.ts';

const idsOf = (address: string | undefined) => networksOf(address).map(({ id, times }) => `${id} ${times}`);

test('networks: an IPv4 address is one, also in IPv6 notation', () => {
  assert.deepEqual(idsOf('203.0.113.7'), ['203.0.113.7 1']);
  assert.deepEqual(idsOf('::ffff:203.0.113.7'), ['203.0.113.7 1']);
});

test('networks: an IPv6 address is in a /64, a /56 and a /48, in any notation', () => {
  const expected = ['2001:db8:7:12ab 1', '2001:db8:7:1200/56 2', '2001:db8:7/48 4'];
  for (const address of ['2001:db8:7:12ab::1', '2001:0DB8:0007:12ab:ffff:0:0:2', '2001:db8:7:12AB::'])
    assert.deepEqual(idsOf(address), expected, address);
  assert.deepEqual(idsOf('2001:db8::1'), ['2001:db8:0:0 1', '2001:db8:0:000/56 2', '2001:db8:0/48 4']);
  assert.deepEqual(idsOf('fe80::1%eth0'), ['fe80:0:0:0 1', 'fe80:0:0:000/56 2', 'fe80:0:0/48 4']);
});

test('networks: clients without an address, whose connections are closed, share one', () => {
  for (const address of [undefined, '', 'unknown']) assert.deepEqual(idsOf(address), ['unknown 1']);
  assert.equal(largestNetworkOf(undefined), 'unknown');
  assert.equal(truncateAddress(undefined), null);
  assert.equal(truncateAddress('unknown'), null);
});
