/** Imports while others write, on two servers, with the order of events forced by a lock. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runImports } from '../../src/modules/imports/runs/run-imports.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createUser, deleteAccount, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { createImportClient } from './import-client.ts';
import { createSourceClient, jobServices } from './source-client.ts';

const api = await startTestApp();
const second = await api.startAnother();
const { review, sendPublish, publish, take, until, entriesOf, eventOf } = createImportClient(api);
const onSecond = createImportClient(second);
/** The job of another server. */
const runJob = () => runImports(jobServices(second));
const { titlesOf } = createSourceClient(api);
/** Public events of one test would be duplicates of those of the next one. */
const unlisted = '?visibility=unlisted';
const three = () =>
  calendar(...['A', 'B', 'C'].map((title) => calendarEntry({ SUMMARY: title, UID: `${title}@race` })));

test('race: of two publications at once on two servers, one is a 202 and one a 409', async () => {
  const person = await createUser(api);
  const { id } = await review(person, three(), unlisted);
  const sent: ReturnType<typeof sendPublish>[] = [];
  await api.sql.begin(async (tx) => {
    await tx`select 1 from import_runs where user_id = ${person.id} and id = ${id} for update`;
    for (const client of [{ sendPublish }, onSecond]) {
      sent.push(client.sendPublish(person, id));
      await untilWaiting(api.sql, sent.length);
    }
  });
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [202, 409]);
  await until(person, id, 'done');
  assert.deepEqual(await titlesOf(person), ['A', 'B', 'C']);
});

test('race: two servers that work on the same import publish each entry once', async () => {
  const person = await createUser(api);
  const { id } = await review(person, three(), unlisted);
  let job = Promise.resolve();
  await api.sql.begin(async (tx) => {
    await tx`select 1 from import_entries where user_id = ${person.id} and import_id = ${id} and n = 2 for update`;
    expectStatus(await sendPublish(person, id), 202);
    await untilWaiting(api.sql, 1);
    // As if the first server had ended: its import is due again.
    await api.sql`update import_runs set due_at = now() - interval '1 hour' where user_id = ${person.id}`;
    job = runJob();
    await untilWaiting(api.sql, 2);
  });
  await job;
  await until(person, id, 'done');
  assert.deepEqual(await titlesOf(person), ['A', 'B', 'C']);
  assert.equal(new Set((await entriesOf(person, id)).map(({ eventId }) => eventId)).size, 3);
  await assertCounters(api.sql);
});

test('race: two imports of the same file that are published at once make each event once', async () => {
  const person = await createUser(api);
  const file = three();
  const runs = [await review(person, file, unlisted), await review(person, file, unlisted)];
  await Promise.all([publish(person, runs[0]?.id), onSecond.publish(person, runs[1]?.id)]);
  assert.deepEqual(await titlesOf(person), ['A', 'B', 'C']);
  const [first, other] = await Promise.all(runs.map(({ id }) => entriesOf(person, id)));
  assert.deepEqual(
    first?.map(({ eventId }) => eventId),
    other?.map(({ eventId }) => eventId),
  );
  await assertCounters(api.sql);
});

test('race: an event that is cancelled while an import changes it is changed and stays cancelled', async () => {
  const person = await createUser(api);
  const file = three();
  const [entry] = await take(person, file, unlisted);
  assert.ok(entry);
  const { id } = await review(person, file.replace('SUMMARY:A', 'SUMMARY:Alder'), unlisted);
  let cancelling: ReturnType<typeof api.patch> | undefined;
  await api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${entry.eventId} for update`;
    cancelling = second.patch(`/v1/events/${entry.eventId}`, person.token, { status: 'cancelled' });
    await untilWaiting(api.sql, 1);
    expectStatus(await sendPublish(person, id), 202);
    await untilWaiting(api.sql, 2);
  });
  assert.ok(cancelling);
  expectStatus(await cancelling, 200);
  await until(person, id, 'done');
  const { title, status } = await eventOf(person, entry);
  assert.deepEqual([title, status], ['Alder', 'cancelled']);
  await assertCounters(api.sql);
});

const choir = (fields: Record<string, string> = {}) =>
  calendar(calendarEntry({ UID: 'choir@race', SUMMARY: 'Choir', RRULE: 'FREQ=WEEKLY;COUNT=4', ...fields }));
const datesOf = async ({ id }: Person) => [
  ...(await api.sql<{ id: string; title: string; status: string }[]>`
    select id, title, status from events where organizer_id = ${id} order by start_at`),
];

for (const order of ['before', 'after'])
  test(`race: a date of a series that is cancelled ${order} an import changes the series stays cancelled`, async () => {
    const person = await createUser(api);
    await take(person, choir(), unlisted);
    const [, date] = await datesOf(person);
    const { id } = await review(person, choir({ SUMMARY: 'Big choir' }), unlisted);
    const requests: (() => Promise<unknown>)[] = [
      () => second.patch(`/v1/events/${date?.id}`, person.token, { status: 'cancelled' }),
      () => sendPublish(person, id),
    ];
    if (order === 'after') requests.reverse();
    const sent: Promise<unknown>[] = [];
    await api.sql.begin(async (tx) => {
      await tx`select 1 from events where id = ${date?.id} for update`;
      for (const [i, request] of requests.entries()) {
        sent.push(request());
        await untilWaiting(api.sql, i + 1);
      }
    });
    await Promise.all(sent);
    await until(person, id, 'done');
    assert.deepEqual(
      (await datesOf(person)).map(({ title, status }) => [title, status]),
      [
        ['Big choir', 'scheduled'],
        ['Big choir', 'cancelled'],
        ['Big choir', 'scheduled'],
        ['Big choir', 'scheduled'],
      ],
    );
    await assertCounters(api.sql);
  });

test('race: a date that is deleted while an import changes the rule of its series does not return', async () => {
  const person = await createUser(api);
  await take(person, choir(), unlisted);
  const [, date] = await datesOf(person);
  const { id } = await review(person, choir({ RRULE: 'FREQ=WEEKLY;COUNT=5' }), unlisted);
  const [{ seriesId }] = (await api.sql`
    select series_id as "seriesId" from events where id = ${date?.id}`) as [{ seriesId: string }];
  let deletion: Promise<unknown> = Promise.resolve();
  await api.sql.begin(async (tx) => {
    await tx`select 1 from series where id = ${seriesId} for update`;
    deletion = second.delete(`/v1/events/${date?.id}`, person.token);
    await untilWaiting(api.sql, 1);
    expectStatus(await sendPublish(person, id), 202);
    await untilWaiting(api.sql, 2);
  });
  await deletion;
  await until(person, id, 'done');
  const dates = await datesOf(person);
  assert.deepEqual([dates.length, dates.some((one) => one.id === date?.id)], [4, false]);
  await assertCounters(api.sql);
});

test('race: two imports of a series at once on two servers make each date once', async () => {
  const person = await createUser(api);
  const runs = [await review(person, choir(), unlisted), await review(person, choir(), unlisted)];
  await Promise.all([publish(person, runs[0]?.id), onSecond.publish(person, runs[1]?.id)]);
  assert.equal((await datesOf(person)).length, 4);
  assert.equal((await api.sql`select 1 from series where organizer_id = ${person.id}`).length, 1);
  await assertCounters(api.sql);
});

test('race: of an account that is deleted while its import is published, nothing remains', async () => {
  const person = await createUser(api);
  const { id } = await review(person, three(), unlisted);
  let job = Promise.resolve();
  await api.sql.begin(async (tx) => {
    await tx`select 1 from import_entries where user_id = ${person.id} and import_id = ${id} and n = 2 for update`;
    expectStatus(await sendPublish(person, id), 202);
    await untilWaiting(api.sql, 1);
  });
  expectStatus(await deleteAccount(second, person), 200);
  job = runJob();
  await job;
  for (const table of ['events', 'imports'])
    assert.equal(
      (await api.sql.text(`select 1 from ${table} where organizer_id = '${person.id}'`)).length,
      0,
      table,
    );
  for (const table of ['import_runs', 'import_entries'])
    assert.equal(
      (await api.sql.text(`select 1 from ${table} where user_id = '${person.id}'`)).length,
      0,
      table,
    );
  await assertCounters(api.sql);
});
