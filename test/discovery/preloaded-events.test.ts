/** Preloaded events: the JSON of listed events in the discovery index, and how it follows changes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeLog } from '#fresh-records';
import { CurrentIndex } from '../../src/modules/discovery/memory/current-index.ts';
import { parseListed } from '../../src/modules/events/event-serializer.ts';
import { createEvent, createUser, inDays, rsvpGoing } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const listed: string[] = [];
for (const day of [1, 2, 3, 4]) {
  const { id } = await createEvent(api, organizer, {
    title: `Brunch “${day}” 🥐`,
    startAt: inDays(day),
    endAt: inDays(day, 2),
  });
  listed.push(id);
}
const [first = '', second = '', third = ''] = listed;
const secret = await createEvent(api, organizer, { visibility: 'private' });

type Preload = { events: CurrentIndex; changeLog: ChangeLog; untilLoaded(loads: number): Promise<void> };

function preload(maxJsonBytes: number): Preload {
  const changeLog = new ChangeLog(api.sql);
  let loads = 0;
  const log = {
    info: () => {},
    warn: (fields: object) => assert.fail(JSON.stringify(fields)),
  };
  const sizes = { minForWorker: { events: 0, bytes: 0 }, maxBytes: 1e8, maxJsonBytes };
  const options = { db: api.sql, changeLog, log, publicUrl: 'http://127.0.0.1:0', ...sizes };
  const events = new CurrentIndex({
    ...options,
    onLoaded: async () => {
      loads++;
    },
  });
  events.start();
  return {
    events,
    changeLog,
    async untilLoaded(expected) {
      for (let waited = 0; loads < expected && waited < 20_000; waited += 10) await sleep(10);
      assert.equal(loads, expected);
    },
  };
}

const jsonOf = ({ events }: Preload, id: string) => {
  const found = events.loaded?.findListed(id) ?? null;
  return found && parseListed(found);
};

async function listElements(): Promise<Map<string, unknown>> {
  const { body } = expectStatus(await api.get('/v1/events?limit=50'), 200);
  return new Map(body.data.map((element: { id: string }) => [element.id, element]));
}

test('preloaded events: those of lists and no others; a changed or deleted event is left out at once', async () => {
  const preloaded = preload(1e7);
  try {
    await preloaded.untilLoaded(1);
    const elements = await listElements();
    assert.deepEqual([...elements.keys()], listed);
    for (const id of listed) assert.deepEqual(jsonOf(preloaded, id), elements.get(id));
    const [{ place } = { place: null }] = [preloaded.events.loaded?.findListed(first) ?? undefined];
    assert.deepEqual(place, { lat: 59.9106, lng: 10.7291 });
    assert.equal(jsonOf(preloaded, secret.id), null);
    assert.equal(jsonOf(preloaded, '00000000-0000-7000-8000-000000000000'), null);

    await rsvpGoing(api, await createUser(api), second);
    expectStatus(await api.delete(`/v1/events/${third}`, organizer.token), 200);
    await preloaded.changeLog.catchUp();
    const left = listed.filter((id) => jsonOf(preloaded, id) !== null);
    assert.deepEqual(
      left,
      listed.filter((id) => id !== second && id !== third),
    );
  } finally {
    preloaded.events.stop();
  }
});

test('preloaded events: an event that changes before its JSON has arrived is left out', async () => {
  const preloaded = preload(1e7);
  try {
    while (!preloaded.events.loaded) await sleep(1);
    // The worker reads the JSON from the snapshot of the index.
    await rsvpGoing(api, await createUser(api), first);
    await preloaded.changeLog.catchUp();
    await preloaded.untilLoaded(1);
    assert.equal(jsonOf(preloaded, first), null);
    assert.deepEqual(jsonOf(preloaded, second), (await listElements()).get(second));
  } finally {
    preloaded.events.stop();
  }
});

test('preloaded events: they are read again after a gap in the change log', async () => {
  const preloaded = preload(1e7);
  try {
    await preloaded.untilLoaded(1);
    await rsvpGoing(api, await createUser(api), first);
    await api.sql`update change_shards set version = version + 2000`;
    await preloaded.changeLog.catchUp();
    assert.equal(jsonOf(preloaded, first), null);
    await preloaded.untilLoaded(2);
    assert.deepEqual(jsonOf(preloaded, first), (await listElements()).get(first));
  } finally {
    preloaded.events.stop();
  }
});

test('preloaded events: an event is left out if the database shows an older version than the change log has named', async () => {
  await rsvpGoing(api, await createUser(api), first);
  // As if the commit were not visible yet.
  await api.sql`update event_counters set version = version - 1 where event_id = ${first}`;
  const preloaded = preload(1e7);
  try {
    await preloaded.untilLoaded(1);
    assert.equal(jsonOf(preloaded, first), null);
    assert.notEqual(jsonOf(preloaded, second), null);
  } finally {
    preloaded.events.stop();
    await api.sql`update event_counters set version = version + 1 where event_id = ${first}`;
  }
});

test('preloaded events: the soonest ones, if the memory does not hold all', async () => {
  const elements = [...(await listElements()).values()];
  // A text may need two bytes for each of its own; the columns of an event have 14 bytes.
  const bytesOfText = 2 * Buffer.byteLength(JSON.stringify(elements[0]));
  const preloaded = preload(8 + 14 * elements.length + bytesOfText);
  try {
    await preloaded.untilLoaded(1);
    const loaded = [...(await listElements()).keys()].map((id) => jsonOf(preloaded, id) !== null);
    assert.deepEqual(loaded, [true, ...loaded.slice(1).fill(false)]);
  } finally {
    preloaded.events.stop();
  }
});
