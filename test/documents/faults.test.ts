import assert from 'node:assert/strict';
import test from 'node:test';
import { equivalents, faults } from '../mutations/all.ts';
import { findMistake } from '../mutations/fault.ts';

test('mutations: the text of each fault is in the source exactly once', () => {
  assert.deepEqual([...faults, ...equivalents].map(findMistake).filter(Boolean), []);
});
