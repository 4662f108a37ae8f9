/** Addresses in descriptions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { linkify } from '../../web/src/lib/event/linkify.ts';

const letters = (count: number) =>
  Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
const links = (text: string) => linkify(text).flatMap(({ href }) => href ?? []);

test('links: http and https addresses, without the punctuation behind them', () => {
  const text =
    'See https://example.org/a?b=c#d, (http://例え.テスト). HTTP://EXAMPLE.ORG! ftp://example.org http:// x';
  assert.deepEqual(links(text), ['https://example.org/a?b=c#d', 'http://例え.テスト', 'HTTP://EXAMPLE.ORG']);
  const whole = linkify(text).map((part) => part.text);
  assert.equal(whole.join(''), text);
});

test('links: none for a host above 253 characters, which is not parsed', (t) => {
  const parse = t.mock.method(URL, 'parse');
  const text = `http://${letters(4_900)} http://${letters(4_900)}/x`;
  assert.deepEqual(linkify(text), [{ text }]);
  assert.equal(parse.mock.callCount(), 0);
});
