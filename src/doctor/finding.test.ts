import assert from 'node:assert/strict';
import test from 'node:test';
import { inspectConfig } from '../config/config.ts';
import { examine, good } from './finding.ts';

const contextOf = (env: Record<string, string>) => ({
  ...inspectConfig(env),
  env,
  sendTo: undefined,
  stop: new AbortController().signal,
});

test('examine: a check that throws, or that takes too long, is broken; one whose variable is refused is skipped', async () => {
  const fails = {
    name: 'a',
    run: () => Promise.reject(new Error('no answer', { cause: new Error('closed') })),
  };
  const hangs = { name: 'b', run: () => new Promise<never>(() => {}) };
  const throws = {
    name: 'c',
    run: () => {
      throw new TypeError('a defect');
    },
  };
  const works = { name: 'd', variables: ['CACHE_', 'DATABASE_'], run: async () => good('It works.') };
  const found = async (check: Parameters<typeof examine>[0], env = {}) => {
    const [finding, ...others] = await examine(check, contextOf(env), 20);
    assert.deepEqual(others, []);
    return `${finding?.check} ${finding?.state} ${finding?.text}`;
  };
  assert.equal(await found(fails), 'a broken The check failed: closed.');
  assert.match(await found(hangs), /^b broken The check failed: There was no result within/);
  assert.equal(await found(throws), 'c broken The check failed: a defect.');
  assert.equal(await found(works), 'd good It works.');
  assert.match(
    await found(works, { CACHE_MB: 'many' }),
    /^d skipped The configuration is refused because of/,
  );
  const replicas = { DATABASE_URL: 'postgres://a/b', DATABASE_REPLICA_URLS: 'http://c' };
  assert.match(await found(works, replicas), /^d skipped /);
});
