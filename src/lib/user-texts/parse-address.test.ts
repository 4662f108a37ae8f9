import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from './parse-address.ts';

/** A text of different letters, which Punycode encodes one by one. */
const letters = (count: number) =>
  Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');

test('parseAddress: an http or https address of a host with a name or of an IP address', () => {
  for (const [text, href] of [
    ['https://example.org', 'https://example.org/'],
    ['HTTP://EXAMPLE.ORG:8080/a?b#c', 'http://example.org:8080/a?b#c'],
    ['https://user:word@example.org./', 'https://user:word@example.org./'],
    ['http://例え.テスト/道', 'http://xn--r8jz45g.xn--zckzah/%E9%81%93'],
    ['http://%C3%BC.example?q', 'http://xn--tda.example/?q'],
    ['http://[2001:db8::1]:80/', 'http://[2001:db8::1]/'],
    ['http://127.0.0.1\\a', 'http://127.0.0.1/a'],
    [`http://${'a.'.repeat(126)}a`, `http://${'a.'.repeat(126)}a/`],
  ])
    assert.equal(parseAddress(text ?? '')?.href, href);
});

test('parseAddress: null for a text that is no address', () => {
  for (const text of [
    '',
    'example.org',
    'ftp://example.org/',
    'javascript:alert(1)',
    'http:example.org',
    'http:///example.org',
    'http://',
    'http://a b/',
    'http://example.org/a b',
    'http://example.org/\n',
    'http://example.org:123456/',
    'http://a@b@example.org/',
    'http://999.1.1.1/',
    'http://[::1',
    'http://<script>',
  ])
    assert.equal(parseAddress(text), null, text);
});

test('parseAddress: a host above 253 characters, or with a label above 63, does not reach URL', (t) => {
  const parse = t.mock.method(URL, 'parse');
  const labels = (length: number) => letters(length).replace(/(.{63})./g, '$1.');
  for (const host of [letters(9_000), labels(254), 'a'.repeat(1_000_000), `${letters(64)}.example`])
    for (const text of [`http://${host}`, `https://user@${host}:80/path`, `http://${host}\\`])
      assert.equal(parseAddress(text), null);
  assert.equal(parse.mock.callCount(), 0);
  assert.ok(parseAddress(`http://${labels(253)}/`));
});
