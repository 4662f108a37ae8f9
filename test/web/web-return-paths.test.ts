/** Paths that forms and links ask to return to: they lead to this server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { localPath } from '../../web/src/lib/server/local-path.ts';
import { anyText } from '../support/any-text.ts';
import { fromPage } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });

test('form: 303 to paths of this server only', async () => {
  for (const [next, location] of [
    ['/people?q=a', '/people?q=a'],
    ['/people?q=a#b', '/people?q=a#b'],
    ['/./people', '/people'],
    ['https://elsewhere.example/', '/'],
    ['//elsewhere.example/', '/'],
    ['/\\elsewhere.example', '/'],
    ['\\\\elsewhere.example', '/'],
    ['/\t/elsewhere.example', '/'],
    ['/.//elsewhere.example', '/'],
    ['/..//elsewhere.example', '/'],
    ['/%2e//elsewhere.example', '/'],
    ['/e/..//elsewhere.example', '/'],
    ['/.\\\\elsewhere.example', '/'],
    ['/.\n/\r/elsewhere.example', '/'],
    ['/%2F/elsewhere.example', '/%2F/elsewhere.example'],
    ['/%5Celsewhere.example', '/%5Celsewhere.example'],
    ['javascript:alert(1)', '/'],
    ['http:people', '/'],
    ['people', '/'],
    [' /people', '/'],
  ] as const) {
    const response = await fetch(`${api.url}/language`, {
      method: 'POST',
      body: new URLSearchParams({ language: 'sv', next }),
      headers: fromPage,
      redirect: 'manual',
    });
    assert.deepEqual([response.status, response.headers.get('location')], [303, location], next);
  }
});

test('path to return to: it has the origin of the server, and a second application returns the same path', () => {
  const origin = 'https://potluck.example';
  const parts = [
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '%2F',
    '%5C',
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    '?',
    '#',
    '@',
    ':',
    '//',
  ];
  const words = [
    'evil.example',
    'e',
    'http:',
    'local.invalid',
    'http://local.invalid',
    'javascript:',
    'ü',
    '／',
  ];
  const path = fc
    .array(fc.oneof(fc.constantFrom(...parts, ...words), anyText({ maxLength: 3 })))
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(path, (value) => {
      const result = localPath(value);
      assert.ok(/^\/(?![/\\])/.test(result) || result === '/', result);
      assert.equal(new URL(result, origin).origin, origin);
      assert.equal(localPath(result), result);
    }),
    { numRuns: 20_000 },
  );
});
