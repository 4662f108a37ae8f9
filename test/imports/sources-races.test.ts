/** Sources while others write, on two servers, with the order of events forced by a lock. The clock stands still between the steps. */
import assert from 'node:assert/strict';
import test, { after as afterAll, beforeEach } from 'node:test';
import { followSources } from '../../src/modules/imports/sources/follow-sources.ts';
import { hashOfAddress } from '../../src/modules/imports/sources/shared-fetches.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createUser, type Person } from '../support/factories.ts';
import { openGatedDatabase } from '../support/gated-database.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { startCalendarHost } from './calendar-host.ts';
import { createSourceClient, fileOf, jobServices } from './source-client.ts';
import { createStandingJobs, hourAndJitter, StandingClock } from './standing-clock.ts';

const host = await startCalendarHost();
const clock = new StandingClock();
const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: host.origin }, clock });
const second = await api.startAnother();
const client = createSourceClient(api);
const { get, follow, eventually, eventsOf, titlesOf, waitingOf } = client;
const { work, settled } = createStandingJobs(api, host.origin, client);

/** Follows a calendar, with its next fetch due. */
async function followed(file: string, { autoPublish }: { autoPublish: boolean }) {
  const person = await createUser(api);
  const address = host.address(file);
  const { source } = await follow(person, address.url, { autoPublish });
  await settled();
  clock.advance(hourAndJitter);
  return { person, address, source, asked: address.requests().length };
}

/** Holds answers back. @returns `isAsked` resolves when the host is asked; `answer` sends the answers */
function holdAnswers(address: ReturnType<typeof host.address>, file: string) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  address.say((response) => {
    asked.resolve();
    void gate.promise.then(() => response.end(file));
  });
  return { isAsked: asked.promise, answer: gate.resolve };
}

const runsOf = ({ id }: Person) => api.sql`
  select id from import_runs where user_id = ${id} and status in ('reading', 'review', 'publishing')`;

beforeEach(async () => {
  await api.sql`delete from sources`;
});

test('race: of two servers that take the same source at once, one reads it', async () => {
  const { person, address, source, asked } = await followed(fileOf('Alder'), { autoPublish: false });
  address.say(fileOf('Alder', 'Birch'));
  const jobs: Promise<void>[] = [];
  await api.sql.begin(async (tx) => {
    await tx`select 1 from sources where user_id = ${person.id} and id = ${source.id} for update`;
    for (const server of [api, second]) {
      jobs.push(followSources(jobServices(server, host.origin)));
      await untilWaiting(api.sql, jobs.length);
    }
  });
  await Promise.all(jobs);
  assert.equal(address.requests().length, asked + 1);
  assert.deepEqual((await waitingOf(person, source.id)).map(({ event }) => event.title).sort(), [
    'Alder',
    'Birch',
  ]);
  assert.equal((await runsOf(person)).length, 1);
});

test('race: of a source that is deleted while its calendar is fetched, nothing is stored', async () => {
  const { person, address, source } = await followed(fileOf('Alder'), { autoPublish: true });
  const { isAsked, answer } = holdAnswers(address, fileOf('Alder', 'Birch'));
  const job = work(second);
  await isAsked;
  expectStatus(await api.delete(`/v1/sources/${source.id}`, person.token), 200);
  answer();
  await job;
  await settled();
  assert.deepEqual(await titlesOf(person), ['Alder']);
  assert.equal((await runsOf(person)).length, 0);
  assert.equal((await api.sql`select 1 from sources`).length, 0);
  const hash = hashOfAddress(new URL(address.url));
  assert.equal((await api.sql`select 1 from source_fetches where address_hash = ${hash}`).length, 0);
});

for (const order of ['before', 'after'])
  test(`race: of a source that is deleted ${order} what was fetched is stored, no review remains`, async () => {
    const { person, address, source } = await followed(fileOf('Alder'), { autoPublish: false });
    const { isAsked, answer } = holdAnswers(address, fileOf('Alder', 'Birch'));
    const job = work(second);
    await isAsked;
    let deletion: ReturnType<typeof api.delete> | undefined;
    const remove = () => {
      deletion = api.delete(`/v1/sources/${source.id}`, person.token);
    };
    await api.sql.begin(async (tx) => {
      await tx`select 1 from sources where user_id = ${person.id} and id = ${source.id} for update`;
      for (const [i, step] of (order === 'before' ? [remove, answer] : [answer, remove]).entries()) {
        step();
        await untilWaiting(api.sql, i + 1);
      }
    });
    assert.ok(deletion);
    expectStatus(await deletion, 200);
    await job;
    assert.equal((await runsOf(person)).length, 0);
    assert.equal((await api.sql`select 1 from sources`).length, 0);
    assert.deepEqual(await titlesOf(person), []);
  });

test('race: what a person edits while the source publishes the same event stays, and the newer value waits', async () => {
  const { person, address, source } = await followed(fileOf('Alder'), { autoPublish: true });
  const [event] = await eventsOf(person);
  address.say(calendar(calendarEntry({ SUMMARY: 'Elder', UID: 'Alder@host', DESCRIPTION: 'From the host' })));
  let edit: ReturnType<typeof api.patch> | undefined;
  let job = Promise.resolve();
  await api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${event?.id} for update`;
    edit = api.patch(`/v1/events/${event?.id}`, person.token, { title: 'Our alder' });
    await untilWaiting(api.sql, 1);
    job = work(second);
    await untilWaiting(api.sql, 2);
  });
  assert.ok(edit);
  expectStatus(await edit, 200);
  await job;
  await settled();
  const record = expectStatus(await api.get(`/v1/events/${event?.id}`, person.token), 200).body;
  assert.deepEqual([record.title, record.description], ['Our alder', 'From the host']);
  const waiting = await waitingOf(person, source.id);
  assert.deepEqual(
    waiting.map(({ state, event }) => [state, event.title]),
    [['changed', 'Elder']],
  );
  await assertCounters(api.sql);
});

const choir = (fields: Record<string, string> = {}): string =>
  calendar(calendarEntry({ UID: 'choir@host', SUMMARY: 'Choir', RRULE: 'FREQ=WEEKLY;COUNT=4', ...fields }));
const datesOf = async ({ id }: Person) => [
  ...(await api.sql<{ id: string; seriesId: string; title: string; status: string }[]>`
    select id, series_id as "seriesId", title, status from events where organizer_id = ${id} order by start_at`),
];

/** A person changes a series, and then its source publishes what it has read before. */
async function editDuringPublication(person: Person, scope: string, change: object): Promise<void> {
  const [date] = await datesOf(person);
  let edit: ReturnType<typeof api.patch> | undefined;
  let job = Promise.resolve();
  await api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${date?.id} for update`;
    await tx`select 1 from series where id = ${date?.seriesId} for update`;
    edit = api.patch(`/v1/events/${date?.id}?scope=${scope}`, person.token, change);
    await untilWaiting(api.sql, 1);
    job = work(second);
    await untilWaiting(api.sql, 2);
  });
  assert.ok(edit);
  expectStatus(await edit, 200);
  await job;
  await settled();
}

test('race: what a person edits in a series while its source publishes it stays, and the newer value waits', async () => {
  const { person, address, source } = await followed(choir(), { autoPublish: true });
  address.say(choir({ SUMMARY: 'Their choir' }));
  await editDuringPublication(person, 'all', { title: 'Our choir' });
  assert.deepEqual([...new Set((await datesOf(person)).map(({ title }) => title))], ['Our choir']);
  assert.deepEqual(
    (await waitingOf(person, source.id)).map(({ event }) => event.title),
    ['Their choir'],
  );
  await assertCounters(api.sql);
});

test('race: a series that its source cancels while a person edits it is cancelled with the edit', async () => {
  const { person, address, source } = await followed(choir(), { autoPublish: true });
  address.say(choir({ STATUS: 'CANCELLED' }));
  await editDuringPublication(person, 'all', { title: 'Our choir' });
  assert.deepEqual(
    (await datesOf(person)).map(({ title, status }) => [title, status]),
    Array(4).fill(['Our choir', 'cancelled']),
  );
  assert.deepEqual(await waitingOf(person, source.id), []);
  await assertCounters(api.sql);
});

test('race: the source of a server that stops between the fetch and what it stores is read by another, once', async () => {
  const { person, address, source } = await followed(fileOf('Alder'), { autoPublish: true });
  address.say(fileOf('Alder', 'Birch'));
  const gated = openGatedDatabase(api.target);
  afterAll(() => gated.sql.end({ timeoutMs: 1_000 }));
  const stopped = gated.holdNextRead(/missing_since, is_absent from imports/);
  const job = followSources({ ...jobServices(api, host.origin), db: gated.sql });
  await stopped.isRead;
  // Its lease holds.
  await work(second);
  assert.deepEqual(await titlesOf(person), ['Alder']);
  clock.advance(121_000);
  address.say(fileOf('Alder', 'Birch', 'Cedar'));
  await eventually('another server reads it', async () => {
    await work(second);
    return (await titlesOf(person)).join() === 'Alder,Birch,Cedar';
  });
  const before = await get(person, source.id);
  // The first one goes on after all: it has lost the source, and stores nothing.
  stopped.open();
  await job;
  await settled();
  assert.deepEqual(await titlesOf(person), ['Alder', 'Birch', 'Cedar']);
  assert.deepEqual((await get(person, source.id)).lastGoodAt, before.lastGoodAt);
  assert.equal((await runsOf(person)).length, 0);
  await assertCounters(api.sql);
});
