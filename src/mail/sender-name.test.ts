import assert from 'node:assert/strict';
import test from 'node:test';
import { senderName } from './sender-name.ts';

test('sender: names of people stay, in any script', () => {
  for (const name of [
    'Mara Lindgren',
    'J.R. Tolkien',
    'Dr. Noor',
    'O’Neil',
    '김서연',
    'محمد',
    'A. B. Cee',
    'Mr.Bean II',
  ])
    assert.equal(senderName(name), name === 'Mr.Bean II' ? undefined : name);
  assert.equal(senderName(undefined), undefined);
});

test('sender: a name that looks like an address or a site is left out', () => {
  for (const name of [
    'Bank <a@b.example>',
    'service@bank.example',
    'bank.example',
    'www.bank.example',
    'https://x',
    'банк.рф',
  ])
    assert.equal(senderName(name), undefined, name);
});
