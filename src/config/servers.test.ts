import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'node:test';
import { configFaults } from '../../test/support/config-faults.ts';
import { readConfig } from './config.ts';

test('config: SERVERS is a number from 1 to 8, or auto for one process on each core; 1 by default', () => {
  assert.equal(readConfig({}).servers, 1);
  assert.equal(readConfig({ SERVERS: '3' }).servers, 3);
  assert.equal(readConfig({ SERVERS: 'auto' }).servers, Math.min(availableParallelism(), 8));
  for (const wrong of ['0', '9', '1.5', 'all', '-1'])
    assert.deepEqual(configFaults({ SERVERS: wrong }), [
      `SERVERS is "${wrong}"; it must be auto or a whole number from 1 to 8.`,
    ]);
});
