/** What a server reads for the streams of events: their versions, and the states of those that have changed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CountedStatement, openCountingDatabase } from '../support/counting-database.ts';
import { createItem, createUser } from '../support/factories.ts';
import { createLiveEvent, openStream } from '../support/live-fixtures.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const counting = openCountingDatabase(api.target);
const counted = await api.startAnother({ sql: counting.sql });
const organizer = await createUser(api);
const guest = await createUser(api);

const isOfStates = ({ text }: CountedStatement) => text.includes('json_build_object');
const isOfVersions = (statement: CountedStatement) =>
  statement.text.includes('concat_ws') && !isOfStates(statement);

const events = await Promise.all(Array.from({ length: 12 }, () => createLiveEvent(api, organizer, guest)));
const openAll = () => Promise.all(events.map(({ event }) => openStream(counted, event)));

test('live: while nothing changes, each poll of twelve events is one statement, which returns no rows', async () => {
  await openAll();
  const polls: CountedStatement[][] = [];
  while (polls.length < 3) {
    const statements = (await counting.count(() => sleep(20))).filter(
      (one) => isOfVersions(one) || isOfStates(one),
    );
    if (statements.length > 0) polls.push(statements);
  }
  for (const statements of polls) {
    assert.deepEqual(statements.filter(isOfStates), []);
    assert.deepEqual(
      statements.map(({ rows }) => rows),
      statements.map(() => 0),
    );
  }
});

test('live: a poll reads the state of the changed event alone', async () => {
  const streams = await openAll();
  const [stream] = streams;
  const [first] = events;
  assert.ok(stream && first);
  const token = organizer.token;
  const { id: added } = await createItem(api, organizer, first.event);
  await stream.until(({ data }) => data.id === added);
  const changes: (() => Promise<unknown>)[] = [
    () => api.post(`/v1/items/${first.item}/claim`, guest.token, { quantity: 1 }),
    () => api.patch(`/v1/items/${first.item}`, token, { quantityNeeded: 8 }),
    () => api.patch(`/v1/items/${first.item}`, token, { emoji: '🧀' }),
    () => api.delete(`/v1/items/${added}`, token),
    () => api.post(`/v1/events/${first.event}/rsvp`, token, { status: 'going' }),
    () => api.patch(`/v1/events/${first.event}`, token, { title: 'Indoors' }),
  ];
  for (const change of changes) {
    const from = stream.messages.length;
    const statements = await counting.count(async () => {
      await change();
      await stream.until(() => true, from);
    });
    const states = statements.filter(isOfStates);
    assert.ok(states.length > 0, change.toString());
    for (const { rows } of states) assert.equal(rows, 1, change.toString());
  }
  for (const other of streams.slice(1))
    assert.deepEqual(
      other.messages.map((each) => each.event),
      ['snapshot'],
    );
});
