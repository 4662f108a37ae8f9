import assert from 'node:assert/strict';
import test from 'node:test';
import { codePoints } from '../../test/support/all-cases.ts';
import { canonicalAddress } from './mail-address.ts';

test('mail address: all spellings of a mailbox have one form', () => {
  const form = 'mara.lind@xn--bcher-kva.example';
  for (const spelling of [
    form,
    'Mara.Lind@bücher.example',
    'MARA.LIND@BÜCHER.EXAMPLE',
    'mara.lind@XN--BCHER-KVA.example',
    'mara.lind@bu\u0308cher.example',
    'mara.lind@bücher.example.',
    'mara.lind@bücher。example',
    'mara.lind@bücher．ｅｘａｍｐｌｅ',
    'ｍａｒａ.lind@bücher.example',
    'mara.lind@bücher\ufe0f.example',
  ])
    assert.equal(canonicalAddress(spelling), form, spelling);
  assert.equal(canonicalAddress('Å@example.org'), 'å@example.org');
  assert.equal(canonicalAddress('\u212b@localhost'), 'å@localhost');
});

test('mail address: dots and tags before the @ are part of it', () => {
  const addresses = ['mara@example.org', 'ma.ra@example.org', 'mara+list@example.org'];
  assert.deepEqual(addresses.map(canonicalAddress), addresses);
});

test('mail address: null for texts to which no mail can be sent, and before and after conversion too long ones', () => {
  const label = 'a'.repeat(63);
  const longest = `${label}.${label}.${label}.${'a'.repeat(57)}`;
  assert.equal(canonicalAddress(`a@${longest}`)?.length, 251);
  for (const text of [
    ...['', 'mara', '@example.org', 'mara@', 'a b@example.org', 'a@b@example.org', 'a\n@example.org'],
    ...['mara@example..org', 'mara@.example.org', '.mara@example.org', 'ma..ra@example.org', 'mara.@a.org'],
    ...['mara@127.0.0.1', 'mara@127.1', 'mara@example.1', 'mara@-a.org', 'mara@a-.org', 'mara@[::1]'],
    ...[`${'a'.repeat(65)}@example.org`, `a@${label}a.org`, `a@${longest}.${label}`, '⑴@example.org'],
    ...[`a@${'ü'.repeat(60)}.example`, `${'ﷺ'.repeat(10)}@example.org`, `${'㎳'.repeat(40)}@example.org`],
    ...[`a@${'ü.'.repeat(100_000)}org`, `${'ü'.repeat(100_000)}@example.org`],
  ])
    assert.equal(canonicalAddress(text), null, text.slice(0, 300));
});

test('mail address: the form of a form is the form itself, for every character', () => {
  for (const code of codePoints()) {
    const character = String.fromCodePoint(code);
    for (const text of [`a${character}b@example.org`, `mara@a${character}b.example`]) {
      const form = canonicalAddress(text);
      if (form !== null && canonicalAddress(form) !== form) assert.fail(JSON.stringify(text));
    }
  }
});
