import assert from 'node:assert/strict';
import test from 'node:test';
import { LOCK_ORDER } from '../schema/locks.ts';
import { accountHooks } from './account-hooks.ts';

test('account hooks: those of deletions and departures run in the order of LOCK_ORDER, and no two have the same first table', () => {
  for (const hooks of [accountHooks.deletionHooks, accountHooks.departureHooks]) {
    const tables = hooks.map(({ firstTable }) => firstTable);
    assert.deepEqual(
      tables,
      LOCK_ORDER.filter((table) => tables.includes(table)),
    );
  }
});

test('account hooks: the sections of the export have unique names', () => {
  const names = accountHooks.exportSections.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
});
