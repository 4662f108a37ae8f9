import assert from 'node:assert/strict';
import test from 'node:test';
import { isPublicAddress } from './public-address.ts';

test('public address: false for private, local, mapped and special addresses, and for names', () => {
  const special = [
    '127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255',
    '224.0.0.1 192.0.2.1 198.18.0.1 :: ::1 fe80::1 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8',
    '192.31.196.1 192.52.193.1 192.175.48.1 192.88.99.1 198.51.100.1 203.0.113.1 192.0.0.1 3fff::1 2620:4f:8000::1',
    '64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 2001:0:1::1 localhost 127.1 0x7f000001 1',
  ];
  for (const address of [...special.flatMap((line) => line.split(' ')), ''])
    assert.equal(isPublicAddress(address), false, address);
});

test('public address: true for addresses of the internet', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
  ])
    assert.equal(isPublicAddress(address), true, address);
});
