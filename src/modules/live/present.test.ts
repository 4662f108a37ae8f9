import assert from 'node:assert/strict';
import test from 'node:test';
import { toState } from './present.ts';
import type { LiveRow } from './repo.ts';

const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const now = new Date();

/** An event with as many items, each with 2 KB of text. */
const rowWithItems = (count: number): LiveRow => ({
  id,
  organizerId: id,
  visibility: 'public',
  hidden: false,
  title: 'Party',
  startAt: now,
  endAt: now,
  allDay: false,
  timezone: 'UTC',
  capacity: 10,
  status: 'scheduled',
  updatedAt: now,
  rsvpCount: 1,
  goingCount: 1,
  partyCount: 1,
  bookedCount: 0,
  commentsVersion: 0,
  version: '',
  items: Array.from({ length: count }, (_, i) => ({
    n: i + 1,
    kind: 'bring',
    title: `Item ${i + 1}`,
    description: 'Bring "a salad" for 🥗. '.repeat(80),
    emoji: '🥘',
    imageUrl: null,
    link: null,
    needed: 3,
    claimed: 1,
    claimsVersion: 1,
  })),
});

test('state: other requests run while a long list of items is serialized', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const state = await toState(rowWithItems(5_000));
  clearImmediate(immediate);
  assert.ok(turns >= 3, `${turns} turns of the event loop`);
  assert.equal(JSON.parse(state.snapshot).items.length, 5_000);
});
