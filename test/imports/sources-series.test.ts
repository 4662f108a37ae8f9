/** Series of calendars that are followed. The clock stands still between the steps of each test, and an hour is a second of it. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createUser, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { startCalendarHost } from './calendar-host.ts';
import { createImportClient } from './import-client.ts';
import { createSourceClient } from './source-client.ts';
import { createStandingJobs, hourAndJitter, StandingClock } from './standing-clock.ts';

const host = await startCalendarHost();
const clock = new StandingClock();
const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: host.origin }, clock });
const { publish, patch } = createImportClient(api);
const client = createSourceClient(api);
const { get, follow, waitingOf } = client;
const { after, fetchedAfter, settled } = createStandingJobs(api, host.origin, client);

type Fields = Record<string, string | undefined>;
const choir = (fields: Fields = {}): string =>
  calendarEntry({ UID: 'choir@host', SUMMARY: 'Choir', RRULE: 'FREQ=WEEKLY;COUNT=4', ...fields });
const single = (title: string): string => calendarEntry({ SUMMARY: title, UID: `${title}@host` });
const walk = single('Walk');

type Row = { id: string; title: string; status: string; description: string };
/** The dates of the choir, in order. */
const datesOf = async ({ id }: Person): Promise<Row[]> => [
  ...(await api.sql<Row[]>`
    select id, title, status, description from events
    where organizer_id = ${id} and series_id is not null order by start_at`),
];
const statusesOf = async (person: Person): Promise<string> =>
  (await datesOf(person)).map(({ status }) => status[0]).join('');
const seriesOf = async ({ id }: Person) =>
  api.sql<{ id: string; status: string }[]>`select id, status from series where organizer_id = ${id}`;

/** Follows a calendar with a choir of four dates, and publishes it. */
async function followed({ autoPublish }: { autoPublish: boolean }, ...parts: string[]) {
  const person = await createUser(api);
  const address = host.address(calendar(...(parts.length > 0 ? parts : [choir(), walk])));
  const { source, run } = await follow(person, address.url, { autoPublish });
  if (!autoPublish) await publish(person, run.id);
  await after(0, 'the dates', async () => (await datesOf(person)).length >= 4);
  await nextFetch(person, source.id);
  const say = (...entries: string[]) => address.say(calendar(...entries));
  return { person, source, say, address };
}

/** The next hour, with all that follows from its fetch. */
async function nextFetch(person: Person, id: string): Promise<void> {
  await fetchedAfter(hourAndJitter, person, id);
  await settled();
}
const nextFetches = async (person: Person, id: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n++) await nextFetch(person, id);
};

beforeEach(async () => {
  await api.sql`delete from sources`;
});

for (const autoPublish of [true, false])
  test(`source: a series that is missing in two good fetches is cancelled, and restored when it returns (autoPublish ${autoPublish})`, async () => {
    const { person, source, say } = await followed({ autoPublish });
    assert.equal(await statusesOf(person), 'ssss');
    const before = await datesOf(person);
    // A date that the person cancelled alone stays cancelled.
    expectStatus(
      await api.patch(`/v1/events/${before[2]?.id}?scope=this`, person.token, { status: 'cancelled' }),
      200,
    );
    say(walk);
    await nextFetch(person, source.id);
    assert.equal(await statusesOf(person), 'sscs');
    await nextFetch(person, source.id);
    assert.equal(await statusesOf(person), 'cccc');
    assert.deepEqual(await waitingOf(person, source.id), []);
    await nextFetches(person, source.id, 2);
    say(choir(), walk);
    await nextFetch(person, source.id);
    assert.equal(await statusesOf(person), 'sscs');
    assert.deepEqual(
      (await datesOf(person)).map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.deepEqual(
      (await seriesOf(person)).map(({ status }) => status),
      ['active'],
    );
    assert.deepEqual(await waitingOf(person, source.id), []);
    assert.equal((await get(person, source.id)).importId, null);
    await assertCounters(api.sql);
  });

test('source: a series that is missing in one good fetch alone stays', async () => {
  const { person, source, say } = await followed({ autoPublish: true });
  for (let round = 0; round < 3; round++) {
    say(walk);
    await nextFetch(person, source.id);
    say(choir(), walk);
    await nextFetch(person, source.id);
  }
  assert.equal(await statusesOf(person), 'ssss');
});

test('source: a series that returns with another title is restored; without autoPublish the title waits', async () => {
  for (const autoPublish of [true, false]) {
    const { person, source, say } = await followed({ autoPublish });
    say(walk);
    await nextFetches(person, source.id, 2);
    assert.equal(await statusesOf(person), 'cccc');
    say(choir({ SUMMARY: 'Big choir' }), walk);
    await nextFetch(person, source.id);
    assert.equal(await statusesOf(person), 'ssss');
    const waiting = await waitingOf(person, source.id);
    const [{ title } = { title: '' }] = await datesOf(person);
    if (autoPublish) assert.deepEqual([title, waiting], ['Big choir', []]);
    else {
      assert.equal(title, 'Choir');
      assert.deepEqual(
        waiting.map(({ state, event }) => [state, event.title]),
        [['changed', 'Big choir']],
      );
      await publish(person, (await get(person, source.id)).importId ?? '');
      assert.deepEqual([...new Set((await datesOf(person)).map((date) => date.title))], ['Big choir']);
    }
    await nextFetches(person, source.id, 2);
    assert.deepEqual([await statusesOf(person), await waitingOf(person, source.id)], ['ssss', []]);
  }
});

test('source: a series that the person restored is not cancelled again, and one that they cancelled is not restored', async () => {
  const { person, source, say } = await followed({ autoPublish: true });
  const [first] = await datesOf(person);
  const setAll = async (status: string) =>
    expectStatus(await api.patch(`/v1/events/${first?.id}?scope=all`, person.token, { status }), 200);
  say(walk);
  await nextFetches(person, source.id, 2);
  assert.equal(await statusesOf(person), 'cccc');
  await setAll('scheduled');
  await nextFetches(person, source.id, 3);
  assert.equal(await statusesOf(person), 'ssss');
  say(choir(), walk);
  await nextFetch(person, source.id);
  await setAll('cancelled');
  say(walk);
  await nextFetches(person, source.id, 3);
  say(choir(), walk);
  await nextFetches(person, source.id, 2);
  assert.equal(await statusesOf(person), 'cccc');
  assert.deepEqual(await waitingOf(person, source.id), []);
});

test('source: more than half of the entries and more than three are missing, series too: they wait for the person', async () => {
  const others = ['Alder', 'Birch', 'Cedar'].map(single);
  const { person, source, say } = await followed({ autoPublish: true }, choir(), walk, ...others);
  say(walk);
  await nextFetches(person, source.id, 2);
  const waiting = await waitingOf(person, source.id);
  assert.deepEqual(waiting.map(({ state, event }) => [state, event.title, event.status]).sort(), [
    ['changed', 'Alder', 'cancelled'],
    ['changed', 'Birch', 'cancelled'],
    ['changed', 'Cedar', 'cancelled'],
    ['changed', 'Choir', 'cancelled'],
  ]);
  assert.equal(await statusesOf(person), 'ssss');
  const { importId } = await get(person, source.id);
  const ofChoir = waiting.find(({ event }) => event.title === 'Choir');
  expectStatus(await patch(person, importId ?? '', ofChoir?.n ?? 0, { skip: true }), 200);
  await publish(person, importId ?? '');
  await nextFetches(person, source.id, 2);
  assert.equal(await statusesOf(person), 'ssss');
  assert.deepEqual(await waitingOf(person, source.id), []);
});

test('source: STATUS:CANCELLED cancels a series at once, without autoPublish too, and what else it says waits', async () => {
  const { person, source, say } = await followed({ autoPublish: false });
  say(choir({ STATUS: 'CANCELLED', SUMMARY: 'No choir' }), walk);
  await nextFetch(person, source.id);
  assert.equal(await statusesOf(person), 'cccc');
  assert.deepEqual(
    (await waitingOf(person, source.id)).map(({ state, event }) => [state, event.title]),
    [['changed', 'No choir']],
  );
});

test('source: a changed series changes its dates with autoPublish, and waits without it', async () => {
  for (const autoPublish of [true, false]) {
    const { person, source, say } = await followed({ autoPublish });
    say(choir({ SUMMARY: 'Big choir', RRULE: 'FREQ=WEEKLY;COUNT=5' }), walk);
    await nextFetch(person, source.id);
    const titles = (await datesOf(person)).map(({ title }) => title);
    const waiting = (await waitingOf(person, source.id)).map(({ event }) => event.title);
    if (autoPublish) assert.deepEqual([titles, waiting], [Array(5).fill('Big choir'), []]);
    else assert.deepEqual([titles, waiting], [Array(4).fill('Choir'), ['Big choir']]);
  }
});

test('source: a newer value of what was edited in a series here waits once, and is published by the person', async () => {
  const { person, source, say } = await followed({ autoPublish: true });
  const [first] = await datesOf(person);
  expectStatus(
    await api.patch(`/v1/events/${first?.id}?scope=all`, person.token, { title: 'Our choir' }),
    200,
  );
  await nextFetch(person, source.id);
  assert.deepEqual(await waitingOf(person, source.id), []);
  say(choir({ SUMMARY: 'Their choir' }), walk);
  await nextFetches(person, source.id, 2);
  assert.deepEqual(
    (await waitingOf(person, source.id)).map(({ event }) => event.title),
    ['Their choir'],
  );
  assert.equal((await datesOf(person))[0]?.title, 'Our choir');
  const { importId } = await get(person, source.id);
  const [entry] = await waitingOf(person, source.id);
  expectStatus(await patch(person, importId ?? '', entry?.n ?? 0, { skip: true }), 200);
  await publish(person, importId ?? '');
  await nextFetches(person, source.id, 2);
  assert.deepEqual(await waitingOf(person, source.id), []);
  assert.equal((await datesOf(person))[0]?.title, 'Our choir');
});

test('source: a date that leaves the calendar with EXDATE is cancelled or gone, and returns with it', async () => {
  const { person, source, say } = await followed({ autoPublish: true });
  say(choir({ EXDATE: '20270312T170000Z' }), walk);
  await nextFetch(person, source.id);
  assert.equal((await datesOf(person)).filter(({ status }) => status === 'scheduled').length, 3);
  say(choir(), walk);
  await nextFetch(person, source.id);
  assert.equal(await statusesOf(person), 'ssss');
});

test('source: a series that was deleted here does not return, missing or not', async () => {
  const { person, source, say } = await followed({ autoPublish: true });
  const [first] = await datesOf(person);
  expectStatus(await api.delete(`/v1/events/${first?.id}?scope=all`, person.token), 200);
  for (const entries of [[choir(), walk], [walk], [walk], [choir({ DESCRIPTION: 'New' }), walk]]) {
    say(...entries);
    await nextFetch(person, source.id);
  }
  assert.deepEqual(await datesOf(person), []);
  assert.deepEqual(await waitingOf(person, source.id), []);
});
