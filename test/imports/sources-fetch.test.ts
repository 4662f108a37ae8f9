/**
 * How often calendars that are followed are fetched. The clock stands still between the steps of each test, and an hour is a second of
 * it: nothing depends on how fast the machine is.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import test, { beforeEach } from 'node:test';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { createUser, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { startCalendarHost } from './calendar-host.ts';
import { createImportClient } from './import-client.ts';
import { createSourceClient, fileOf, type Source } from './source-client.ts';
import { createStandingJobs, hour, hourAndJitter, StandingClock } from './standing-clock.ts';

const host = await startCalendarHost();
const clock = new StandingClock();
const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: host.origin }, clock });
const second = await api.startAnother();
const { entriesOf, publish, until } = createImportClient(api);
const client = createSourceClient(api);
const { sendFollow, get, follow, eventually, statusesOf, titlesOf, waitingOf } = client;
const { deliver } = createNotificationClient(api);
const { work, after, fetchedAfter } = createStandingJobs(api, host.origin, client);

const hasFailed = (person: Person, id: string, failures: number) => async (): Promise<boolean> =>
  (await rowOf(person, id)).failures === failures;

type Row = { failures: number; dueAt: Date | null };
async function rowOf({ id: userId }: Person, id: string): Promise<Row> {
  const [row] = await api.sql<Row[]>`
    select failures, due_at as "dueAt" from sources where user_id = ${userId} and id = ${id}`;
  assert.ok(row);
  return row;
}
/** In hours from now. */
const pauseOf = async (person: Person, source: Source): Promise<number> =>
  (((await rowOf(person, source.id)).dueAt?.getTime() ?? Number.NaN) - clock.now().getTime()) / hour;

// Each test has the host for itself.
beforeEach(async () => {
  await api.sql`delete from sources`;
  clock.advance(10 * hour);
});

test('source: a fetch names what is known, and a 304 is a good fetch that changes nothing', async () => {
  const person = await createUser(api);
  const validators = { etag: 'W/"one"', 'last-modified': 'Tue, 05 Jan 2027 10:00:00 GMT' };
  const conditional = (response: ServerResponse, file: string, isKnown: boolean) =>
    isKnown ? response.writeHead(304).end() : response.writeHead(200, validators).end(file);
  const address = host.address((response, { headers }) =>
    conditional(response, fileOf('Alder', 'Birch'), headers['if-none-match'] === validators.etag),
  );
  const { source } = await follow(person, address.url, { autoPublish: true });
  await eventually('the events', async () => (await titlesOf(person)).length === 2);
  for (let round = 0; round < 3; round++) await fetchedAfter(hourAndJitter, person, source.id);
  const [first, ...others] = address.requests();
  assert.equal(first?.headers['if-none-match'], undefined);
  assert.equal(first?.headers['if-modified-since'], undefined);
  assert.ok(others.length >= 3);
  for (const { headers } of others) {
    assert.equal(headers['if-none-match'], validators.etag);
    assert.equal(headers['if-modified-since'], validators['last-modified']);
  }
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Birch: 'scheduled' });

  // That an entry is missing is confirmed by a 304 an hour later.
  let answers = 0;
  address.say((response) => conditional(response, fileOf('Alder'), ++answers > 1));
  await fetchedAfter(hourAndJitter, person, source.id);
  assert.equal((await statusesOf(person)).Birch, 'scheduled');
  await after(
    hourAndJitter,
    'the cancellation',
    async () => (await statusesOf(person)).Birch === 'cancelled',
  );
});

test('source: a 304 for a file that is not known is source_unreachable', async () => {
  const person = await createUser(api);
  const { source } = await follow(person, host.address((response) => response.writeHead(304).end()).url);
  assert.equal((await get(person, source.id)).problem?.code, 'source_unreachable');
});

test('source: it is fetched once an hour, up to a tenth later', async () => {
  const person = await createUser(api);
  const address = host.address(fileOf('Alder'));
  const { source } = await follow(person, address.url);
  await fetchedAfter(hourAndJitter, person, source.id);
  const pause = await pauseOf(person, source);
  assert.ok(pause >= 1 && pause <= 1.1, `${pause}`);
  const before = address.requests().length;
  clock.advance(0.99 * hour);
  await work();
  assert.equal(address.requests().length, before);
});

for (const [name, header] of [
  ['seconds', () => '5'],
  ['a time', () => new Date(clock.now().getTime() + 5_000).toUTCString()],
] as const)
  test(`source: Retry-After with ${name} is kept to, also by a refresh and by other people`, async () => {
    const [person, other] = [await createUser(api), await createUser(api)];
    const address = host.address(fileOf('Alder'));
    const { source } = await follow(person, address.url);
    address.say((response) => response.writeHead(429, { 'retry-after': header() }).end());
    await after(hourAndJitter, 'the failure', hasFailed(person, source.id, 1));
    assert.equal((await get(person, source.id)).problem?.code, 'source_unreachable');
    const askedAt = address.requests().length;
    address.say(fileOf('Alder'));
    expectStatus(await api.post(`/v1/sources/${source.id}/refresh`, person.token), 202);
    expectStatus(await sendFollow(other, address.url), 202);
    clock.advance(4_000);
    await work();
    assert.equal(address.requests().length, askedAt);
    await fetchedAfter(1_000, person, source.id);
    assert.equal((await get(person, source.id)).problem, null);
    assert.equal(address.requests().length, askedAt + 1);
  });

test('source: of a Retry-After of a year, a day is kept to', async () => {
  const person = await createUser(api);
  const address = host.address((response) => response.writeHead(503, { 'retry-after': '31536000' }).end());
  const { source } = await follow(person, address.url);
  address.say(fileOf('Alder'));
  clock.advance(86_399_000);
  await work();
  assert.equal(address.requests().length, 1);
  // The token of the person has expired.
  await after(1_000, 'a good fetch', async () => (await rowOf(person, source.id)).failures === 0);
  assert.equal(address.requests().length, 2);
});

test('source: after failures, the pause doubles up to a day; after 14 days it is off, and its owner is told once', async () => {
  const person = await createUser(api);
  const address = host.address(fileOf('Alder'));
  const { source } = await follow(person, address.url);
  address.say((response) => response.writeHead(500).end());
  const notifications = async () => {
    await deliver();
    const { data } = expectStatus(await api.get('/v1/notifications', person.token), 200).body;
    return data.filter(({ kind }: { kind: string }) => kind === 'sourceFailed');
  };
  let failedSince = 0;
  let failures = 0;
  let pause = 1.1;
  const isOff = async () => (await rowOf(person, source.id)).dueAt === null;
  do {
    await after(pause * hour, `the failure ${failures}`, hasFailed(person, source.id, ++failures));
    failedSince ||= clock.now().getTime();
    if (await isOff()) break;
    const least = Math.min(24, 2 ** (failures - 1));
    pause = await pauseOf(person, source);
    assert.ok(pause >= least && pause <= 1.1 * least, `pause ${pause} after ${failures} failures`);
    assert.deepEqual(await notifications(), []);
  } while (failures < 30);
  assert.ok(await isOff());
  const days = (clock.now().getTime() - failedSince) / (24 * hour);
  assert.ok(days >= 14 && days < 15.1, `${days}`);
  const [told, ...others] = await notifications();
  assert.equal(others.length, 0);
  assert.ok(told);
  assert.equal((await get(person, source.id)).problem?.code, 'source_unreachable');

  const asked = address.requests().length;
  clock.advance(100 * hour);
  await work();
  assert.equal(address.requests().length, asked);
  // A refresh begins anew.
  address.say(fileOf('Alder', 'Birch'));
  expectStatus(await api.post(`/v1/sources/${source.id}/refresh`, person.token), 202);
  await fetchedAfter(0, person, source.id);
  await fetchedAfter(hourAndJitter, person, source.id);
  assert.equal((await notifications()).length, 1);
});

test('source: a good fetch ends the failures', async () => {
  const person = await createUser(api);
  const address = host.address(fileOf('Alder'));
  const { source } = await follow(person, address.url);
  for (let round = 0; round < 3; round++) {
    address.say((response) => response.writeHead(500).end());
    await after(hourAndJitter, 'a failure', hasFailed(person, source.id, 1));
    assert.ok((await pauseOf(person, source)) <= 1.1);
    address.say(fileOf('Alder'));
    await fetchedAfter(hourAndJitter, person, source.id);
  }
});

test('source: one fetch in an hour is for all people on all servers who follow or import an address', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => createUser(api)));
  const [first, ...later] = people;
  assert.ok(first);
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const address = host.address((response) => {
    asked.resolve();
    void gate.promise.then(() => response.end(fileOf('Alder')));
  });
  const runs = [expectStatus(await sendFollow(first, address.url), 202).body];
  await asked.promise;
  for (const person of later) runs.push(expectStatus(await sendFollow(person, address.url), 202).body);
  await Promise.all([work(), work(second)]);
  gate.resolve();
  await after(500, 'all have read it', async () => {
    const rows = await api.sql`select 1 from sources where last_good_at is not null`;
    return rows.length === 3;
  });
  for (const [i, person] of people.entries()) await until(person, runs[i].id, 'review');
  assert.equal(address.requests().length, 1);
  // Others import it once.
  const visitor = await createUser(api);
  const { id } = expectStatus(await api.post('/v1/imports', visitor.token, { url: address.url }), 202).body;
  assert.equal((await until(visitor, id, 'review')).counts.new, 1);
  assert.equal(address.requests().length, 1);
  // In the next hour too.
  clock.advance(hourAndJitter);
  await eventually('all have read it again', async () => {
    await Promise.all([work(), work(second)]);
    clock.advance(10);
    const rows =
      await api.sql`select 1 from sources where last_good_at > ${new Date(clock.now().getTime() - hour)}`;
    return rows.length === 3;
  });
  assert.equal(address.requests().length, 2);
  assert.equal((await api.sql`select distinct last_good_at from sources`).length, 1);
});

test('source: beyond 60 fetches of a host in an hour a refresh and an import are a 503 source_busy, and sources wait', async () => {
  const person = await createUser(api);
  const address = host.address(fileOf('Alder'));
  const { source } = await follow(person, address.url);
  // The source is due in an hour; the host has others in it.
  clock.advance(hour - (clock.now().getTime() % hour) + 100);
  await work();
  await api.sql`delete from import_fetches`;
  const people = await Promise.all(Array.from({ length: 4 }, () => createUser(api)));
  const others = Array.from({ length: 61 }, () => host.address(fileOf('Birch')).url);
  for (const [i, url] of others.entries()) {
    const sent = await api.post('/v1/imports', people[i % 4]?.token, { url });
    if (i < 60) expectStatus(sent, 202);
    else {
      const refused = expectProblem(sent, 503, 'source_busy');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    }
  }
  const path = `/v1/sources/${source.id}/refresh`;
  expectProblem(await api.post(path, person.token), 503, 'source_busy');
  const asked = address.requests().length;
  await api.sql`update sources set due_at = ${clock.now()}, wanted_since = ${clock.now()} where id = ${source.id}`;
  await work();
  assert.equal(address.requests().length, asked);
  const waiting = await rowOf(person, source.id);
  assert.equal(waiting.failures, 0);
  assert.equal((await get(person, source.id)).problem, null);
  // A refusal is no refresh: it does not count as the one of the minute.
  clock.advance(hour);
  expectStatus(await api.post(path, person.token), 202);
  await fetchedAfter(0, person, source.id);
});

test('source: a host that hangs holds up no other source, and is source_unreachable after 20 s', async () => {
  const [slow, person] = [await createUser(api), await createUser(api)];
  const hanging = Array.from({ length: 3 }, () =>
    host.address((response) => {
      response.writeHead(200, { 'content-type': 'text/calendar' }).write('BEGIN:VCALENDAR\r\n');
      const drip = setInterval(() => response.write(' '), 200);
      response.on('close', () => clearInterval(drip));
    }),
  );
  for (const { url } of hanging) expectStatus(await sendFollow(slow, url), 202);
  await eventually('all are asked', async () => hanging.every((one) => one.requests().length === 1));
  const { source } = await follow(person, host.address(fileOf('Alder')).url);
  assert.equal((await get(person, source.id)).problem, null);
  const failed = async () =>
    (await api.sql`select 1 from sources where user_id = ${slow.id} and failures = 1`).length === 3;
  for (let waited = 0; waited < 10 && !(await failed()); waited++)
    await eventually('20 s', failed).catch(() => {});
  assert.ok(await failed());
  const [code] = await api.sql<{ code: string }[]>`
    select distinct problem->>'code' as code from sources where user_id = ${slow.id}`;
  assert.equal(code?.code, 'source_unreachable');
});

const table = (...rows: string[]) => ['Title,Start Date,Latitude,Longitude', ...rows, ''].join('\r\n');
const row = (title: string, date: string) => `${title},${date},52.52,13.405`;
const csv = (text: string) => (response: ServerResponse) =>
  response.setHeader('content-type', 'text/csv').end(text);

test('source: of a table whose order of dates nothing decides the person is asked once, and then it is followed', async () => {
  const person = await createUser(api);
  const address = host.address(csv(table(row('Alder', '03/04/2027'))));
  const { source, run } = await follow(person, address.url, { autoPublish: true });
  assert.deepEqual([run.status, run.questions.length], ['review', 1]);
  assert.equal((await get(person, source.id)).importId, run.id);
  await after(hourAndJitter, 'it is fetched', async () => address.requests().length === 2);
  await work();
  assert.equal((await api.sql`select 1 from import_runs where user_id = ${person.id}`).length, 1);
  const [{ id }] = run.questions;
  const answers = { [id]: 'dayFirst' };
  expectProblem(
    await api.patch(`/v1/imports/${run.id}`, person.token, { answers: { other: 'dayFirst' } }),
    400,
    'invalid_request',
  );
  expectStatus(await api.patch(`/v1/imports/${run.id}`, person.token, { answers }), 200);
  await after(0, 'the event', async () => (await titlesOf(person)).length === 1);
  const [entry] = await entriesOf(person, run.id);
  assert.equal(entry?.event.startAt, '2027-04-02T22:00:00.000Z');
  address.say(csv(table(row('Alder', '03/04/2027'), row('Birch', '05/04/2027'))));
  await after(hourAndJitter, 'the new row', async () => (await titlesOf(person)).length === 2);
  assert.equal((await get(person, source.id)).importId, null);
  // A table of both orders changes nothing.
  address.say(csv(table(row('Alder', '13/04/2027'), row('Birch', '04/14/2027'))));
  const failed = await after(hourAndJitter, 'a problem', async () => {
    const found = await get(person, source.id);
    return found.problem && found;
  });
  assert.equal(failed.problem?.code, 'date_order');
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Birch: 'scheduled' });
});

test('source: a question that the table answers meanwhile is not asked any more', async () => {
  const person = await createUser(api);
  const address = host.address(csv(table(row('Alder', '03/04/2027'))));
  const { source, run } = await follow(person, address.url);
  assert.equal(run.questions.length, 1);
  // A value above 12 decides now.
  address.say(csv(table(row('Alder', '13/04/2027'))));
  await fetchedAfter(hourAndJitter, person, source.id);
  const waiting = await waitingOf(person, source.id);
  assert.deepEqual(
    waiting.map(({ state, event }) => [state, event.startAt]),
    [['new', '2027-04-12T22:00:00.000Z']],
  );
  const { importId } = await get(person, source.id);
  const review = expectStatus(await api.get(`/v1/imports/${importId}`, person.token), 200).body;
  assert.deepEqual(review.questions, []);
  await publish(person, importId ?? '');
  assert.deepEqual(await titlesOf(person), ['Alder']);
});
