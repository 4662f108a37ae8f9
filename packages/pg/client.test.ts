import assert from 'node:assert/strict';
import test from 'node:test';
import { maxConnectionsOf } from './client.ts';

test('connections: 18 of one process; those of 8 processes and of a backup fit into the embedded PostgreSQL', () => {
  assert.equal(maxConnectionsOf(1), 18);
  assert.equal(maxConnectionsOf(2), 40);
  // Of 120, three are for superusers.
  assert.ok(maxConnectionsOf(8) <= 112, `${maxConnectionsOf(8)}`);
});
