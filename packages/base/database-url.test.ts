import assert from 'node:assert/strict';
import test from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { readParameter, splitHosts } from './database-url.ts';

test('DATABASE_URL: each of several hosts has its port, the user, the database and the options', () => {
  assert.deepEqual(
    splitHosts('postgresql://me:hid%40den@a:5433,[::1],c.example.org:5434/db?sslmode=require'),
    [
      'postgresql://me:hid%40den@a:5433/db?sslmode=require',
      'postgresql://me:hid%40den@[::1]/db?sslmode=require',
      'postgresql://me:hid%40den@c.example.org:5434/db?sslmode=require',
    ],
  );
  for (const url of [
    'postgres://me:a,b@db/name',
    'postgres:///name?host=/run/a,b',
    'postgres://db/name?x=a,b',
  ])
    assert.deepEqual(splitHosts(url), [url]);
});

test('DATABASE_URL: target_session_attrs is any, primary or read-write', () => {
  const read = (value: string) =>
    readConfig({ DATABASE_URL: `postgres://a:1,b:2/db?target_session_attrs=${value}` }).databaseUrl;
  for (const value of ['any', 'primary', 'read-write'])
    assert.equal(readParameter(read(value) ?? '', 'target_session_attrs'), value);
  assert.throws(() => read('standby'), {
    name: ConfigError.prototype.name,
    message: 'DATABASE_URL has target_session_attrs=standby; it must be one of any, primary, read-write.',
  });
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://a:1,b:none/db' }),
    /^.*DATABASE_URL is not an address/,
  );
});
