import assert from 'node:assert/strict';
import test from 'node:test';
import { secretsIn, withoutSecrets } from './secret-values.ts';

test('secrets: passwords of addresses, keys, and words of templates leave the text; other words stay', () => {
  const secrets = secretsIn({
    SECRET_KEY: 'key-of-this-server',
    DATABASE_URL: 'postgres://me:pass%2Fword@a.example/x',
    DATABASE_REPLICA_URLS: 'postgres://me:other-one@b.example/x, postgres://me:key-of-this@c.example/x',
    SMS_HTTP_HEADERS: '{"authorization":"Token abcdef-ghijkl"}',
    LOG_LEVEL: 'warning',
  });
  for (const [text, expected] of [
    ['key-of-this-server', '…'],
    ['key-of-this', '…'],
    ['pass%2Fword or pass/word at a.example', '… or … at a.example'],
    ['other-one', '…'],
    ['Token abcdef-ghijkl', 'Token …'],
    ['warning me', 'warning me'],
    ['for +12025550147, not 15831008', 'for …147, not 15831008'],
  ] as const)
    assert.equal(withoutSecrets(text, secrets), expected);
});
