/** The loading of the discovery index, with a change log whose reads the test controls. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeLog, type CommittedChange, changeKeyOf } from '#fresh-records';
import { cellOf } from '#record-index';
import { type ListQuery, readEventQuery } from '../../src/modules/discovery/event-query.ts';
import { CurrentIndex } from '../../src/modules/discovery/memory/current-index.ts';
import { dayOf } from '../../src/modules/events/listing-keys.ts';
import { createEvent, createUser, eventBody } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();

const anyEvent: ListQuery = {
  ...readEventQuery({}, new Date()),
  from: null,
  order: 'start',
  hiddenOrganizers: [],
};

test('index: changes during the start of a new load do not start another load', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  // The same row many times over: the index counts the copies as changed events.
  await api.sql`
    insert into events
    select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
    from events e cross join generate_series(1, 2100)`;
  const ids = (await api.sql<{ id: string }[]>`select id from events`).map(({ id }) => id);
  const { location, startAt } = eventBody({ startAt: event.startAt });
  const listingKeys = [{ cell: cellOf(location.lat, location.lng), day: dayOf(new Date(startAt)) }];
  const change: CommittedChange = { changeKeys: ids.map(changeKeyOf), listingKeys, listings: null };

  let notify: (change: CommittedChange) => void = () => {};
  let read = Promise.resolve();
  const changeLog: Pick<ChangeLog, 'catchUp' | 'listingOf' | 'recentVersions' | 'versionOf' | 'watch'> = {
    catchUp: () => read,
    listingOf: () => undefined,
    versionOf: () => undefined,
    recentVersions: () => Iterator.from([]),
    watch: (watcher) => {
      notify = watcher;
    },
  };
  const messages: string[] = [];
  const log = { info: (_: object, message: string) => messages.push(message), warn: () => {} };
  const index = new CurrentIndex({
    db: api.sql,
    changeLog: changeLog as ChangeLog,
    log,
    publicUrl: 'http://127.0.0.1:0',
    maxBytes: 1e8,
    maxJsonBytes: 1e8,
    onLoaded: async () => {},
  });
  const search = async () => (await index.current())?.search(anyEvent, { page: 1, limit: 1 });
  const untilLoaded = async (loads: number) => {
    while (messages.length < loads) await sleep(10);
  };
  index.start();
  try {
    await untilLoaded(1);
    const held = Promise.withResolvers<void>();
    read = held.promise;
    for (let i = 0; i < 3; i++) {
      notify(change);
      assert.equal((await search())?.total, ids.length);
    }
    held.resolve();
    await untilLoaded(2);
    await sleep(200);
    assert.equal(messages.length, 2, 'one load at the start, and one after the changes');
  } finally {
    index.stop();
  }
});

test('index: where all events do not fit, it has those that have not ended, and leaves lists of the past to the database', async () => {
  const next = await createEvent(api, await createUser(api), { category: 'film' });
  await api.sql`
    insert into events
    select (jsonb_populate_record(e, jsonb_build_object(
      'id', gen_random_uuid(), 'start_at', now() - interval '9 days', 'end_at', now() - interval '8 days'))).*
    from events e cross join generate_series(1, 4000) where e.id = ${next.id}`;
  const messages: string[] = [];
  const log = {
    info: (_: object, message: string) => messages.push(message),
    warn: (fields: object) => assert.fail(JSON.stringify(fields)),
  };
  const index = new CurrentIndex({
    db: api.sql,
    changeLog: new ChangeLog(api.sql),
    log,
    publicUrl: 'http://127.0.0.1:0',
    maxBytes: 2e5,
    maxJsonBytes: 1e6,
    onLoaded: async () => {},
  });
  const search = async (from: Date | null) =>
    (await index.current())?.search({ ...anyEvent, category: 'film', from }, { page: 1, limit: 9 });
  index.start();
  try {
    while (messages.length === 0) await sleep(10);
    assert.match(messages[0] ?? '', /without events that have ended/);
    const now = Date.now();
    assert.deepEqual(await search(new Date(now)), { ids: [next.id], total: 1 });
    assert.deepEqual(await search(new Date(now - 47 * 3_600_000)), { ids: [next.id], total: 1 });
    assert.equal(await search(new Date(now - 10 * 86_400_000)), null);
    assert.equal(await search(null), null);
  } finally {
    index.stop();
  }
});
