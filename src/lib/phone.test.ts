import assert from 'node:assert/strict';
import test from 'node:test';
import { readPhone } from './phone.ts';

test('phone: the digits of any script, and what people write between them', () => {
  for (const text of [
    '+966501234567',
    '+٩٦٦٥٠١٢٣٤٥٦٧',
    '\u200f+۹۶۶ ۵۰ ۱۲۳ ۴۵۶۷\u200f',
    '+९६६ (५०) १२३-४५६७',
    '＋９６６ ５０ １２３ ４５６７',
    '٠٠٩٦٦٥٠١٢٣٤٥٦٧',
    '+966 ٥٠ 1234567',
  ])
    assert.equal(readPhone(text).number, '+966501234567', text);
  assert.equal(readPhone('٠٥٠ ١٢٣ ٤٥٦٧', 'SA').number, '+966501234567');
});

test('phone: a Mexican number has one form, with and without the 1 of former mobiles', () => {
  for (const text of ['+52 55 1234 5678', '+52 1 55 1234 5678', '+5215512345678', '0052 (1) 55-1234-5678'])
    assert.equal(readPhone(text).number, '+525512345678', text);
  assert.equal(readPhone('55 1234 5678', 'MX').number, '+525512345678');
});

test('phone: what is longer than any number is refused before it is read', () => {
  assert.throws(() => readPhone(`+1 202 555 0102${' '.repeat(100_000)}`), { code: 'invalid_request' });
});
