/**
 * Calendars that are followed: the operations, and what the changes of a calendar become. An hour is a second of a clock that stands
 * still between the fetches.
 */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { calendar } from '../support/calendar-files.ts';
import { createUser, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { startCalendarHost } from './calendar-host.ts';
import { createImportClient } from './import-client.ts';
import { createSourceClient, fileOf } from './source-client.ts';
import { createStandingJobs, StandingClock } from './standing-clock.ts';

const host = await startCalendarHost();
const clock = new StandingClock();
const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: host.origin }, clock });
const { entriesOf, publish, patch, until } = createImportClient(api);
const client = createSourceClient(api);
const { sendFollow, list, get, follow, eventsOf, titlesOf, statusesOf, waitingOf } = client;
const { hoursLater, within: eventually } = createStandingJobs(api, host.origin, client);
/** The calendar is fetched so many times. */
const reads = async (person: Person, id: string, times = 1) => {
  await hoursLater(times);
  const source = await get(person, id);
  assert.equal(source.lastGoodAt, clock.now().toISOString());
  return source;
};
const stranger = await createUser(api);

beforeEach(async () => {
  await api.sql`delete from sources`;
});

/** Follows a calendar and publishes what it has. */
async function followed(...titles: (string | Record<string, string | undefined>)[]) {
  const person = await createUser(api);
  const address = host.address(fileOf(...titles));
  const { source, run } = await follow(person, address.url);
  await publish(person, run.id);
  await eventually('the review is over', async () => (await get(person, source.id)).importId === null);
  return { person, address, source };
}
/** Follows a calendar that publishes by itself. */
async function automatic(...titles: (string | Record<string, string | undefined>)[]) {
  const person = await createUser(api);
  const address = host.address(fileOf(...titles));
  const { source, run } = await follow(person, address.url, { autoPublish: true });
  return { person, address, source, run };
}

// spec: 6 GET /v1/sources, GET /v1/sources/:id: the calendars that a person follows
test('follow: 202 with the import, which makes a source; the same address again is the same source', async () => {
  const person = await createUser(api);
  const { url } = host.address(fileOf('Alder'));
  const sent = expectStatus(await sendFollow(person, url), 202).body;
  assert.equal(sent.status, 'reading');
  const run = await until(person, sent.id, 'review');
  assert.equal(run.counts.new, 1);
  const [source, ...others] = await list(person);
  assert.equal(others.length, 0);
  assert.ok(source);
  const { id, lastGoodAt, ...fields } = source;
  assert.deepEqual(fields, { url, autoPublish: false, problem: null, eventsCount: 0, importId: sent.id });
  assert.equal(lastGoodAt, clock.now().toISOString());
  assert.deepEqual(await get(person, id), source);
  for (const same of [url, `${url}#part`]) {
    const again = expectStatus(await sendFollow(person, same), 202).body;
    assert.equal(again.id, sent.id);
  }
  assert.equal((await list(person)).length, 1);
  await publish(person, sent.id);
  assert.equal((await get(person, id)).eventsCount, 1);
  assert.deepEqual(await titlesOf(person), ['Alder']);
  await assertCounters(api.sql);
});

test('follow: 401, 404 source_not_found for sources of others, 400 for what no address may be', async () => {
  expectProblem(await api.get('/v1/sources'), 401, 'token_missing');
  const person = await createUser(api);
  const { source } = await follow(person, host.address(fileOf('Alder')).url);
  for (const id of [source.id, '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1', 'x']) {
    const [path, token] = [`/v1/sources/${id}`, stranger.token];
    expectProblem(await api.get(path, token), 404, 'source_not_found');
    expectProblem(await api.patch(path, token, { autoPublish: true }), 404, 'source_not_found');
    expectProblem(await api.delete(path, token), 404, 'source_not_found');
    expectProblem(await api.post(`${path}/refresh`, token), 404, 'source_not_found');
  }
  assert.deepEqual(await list(stranger), []);
  for (const url of ['ftp://example.org/a', 'https://a:b@example.org/', 'http://127.0.0.1:1/', 'x', 5]) {
    const { body } = expectProblem(await sendFollow(person, url as string), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'url');
  }
  for (const [body, field] of [
    [{ follow: 'yes' }, 'follow'],
    [{ autoPublish: 1 }, 'autoPublish'],
    [{ follow: false, autoPublish: true }, 'autoPublish'],
  ] as const) {
    const { body: problem } = expectProblem(
      await sendFollow(person, source.url, body),
      400,
      'invalid_request',
    );
    assert.equal(problem.errors[0].path, field);
  }
  const bad = await api.patch(`/v1/sources/${source.id}`, person.token, { url: 'https://example.org/' });
  expectProblem(bad, 400, 'invalid_request');
});

test('follow: 409 sources_full above 20 calendars', async () => {
  const person = await createUser(api);
  const urls = Array.from({ length: 21 }, () => host.address(fileOf('Alder')).url);
  for (const url of urls.slice(0, 20)) expectStatus(await sendFollow(person, url), 202);
  expectProblem(await sendFollow(person, urls[20] ?? ''), 409, 'sources_full');
  expectStatus(await sendFollow(person, urls[0] ?? ''), 202);
  const [first] = await list(person);
  expectStatus(await api.delete(`/v1/sources/${first?.id}`, person.token), 200);
  expectStatus(await sendFollow(person, urls[20] ?? ''), 202);
  await api.sql`delete from sources where user_id = ${person.id}`;
});

test('source: new and changed entries wait in one open review; cancellations apply anyway', async () => {
  const { person, address, source } = await followed('Alder', 'Birch', 'Cedar');
  assert.deepEqual(await titlesOf(person), ['Alder', 'Birch', 'Cedar']);
  const cedar = { SUMMARY: 'Cedar', STATUS: 'CANCELLED' };
  address.say(fileOf({ SUMMARY: 'Alders', UID: 'Alder@host' }, 'Birch', cedar, 'Dogwood'));
  await eventually('the cancellation', async () => (await statusesOf(person)).Cedar === 'cancelled');
  const waiting = await eventually('the review', async () => {
    const entries = await waitingOf(person, source.id);
    return entries.length === 2 && entries;
  });
  assert.deepEqual(waiting.map(({ state, event }) => [state, event.title]).sort(), [
    ['changed', 'Alders'],
    ['new', 'Dogwood'],
  ]);
  assert.deepEqual(await titlesOf(person), ['Alder', 'Birch', 'Cedar']);
  const { importId } = await get(person, source.id);
  address.say(fileOf({ SUMMARY: 'Alders', UID: 'Alder@host' }, 'Birch', cedar, 'Dogwood', 'Elm'));
  await eventually('the entry', async () => (await waitingOf(person, source.id)).length === 3);
  assert.equal((await get(person, source.id)).importId, importId);
  await publish(person, importId ?? '');
  assert.deepEqual(await titlesOf(person), ['Alders', 'Birch', 'Cedar', 'Dogwood', 'Elm']);
  await reads(person, source.id, 2);
  assert.equal((await get(person, source.id)).importId, null);
  await assertCounters(api.sql);
});

test('source: what the person changes in the open review stays while the calendar changes', async () => {
  const person = await createUser(api);
  const address = host.address(fileOf('Alder', 'Birch'));
  const { source, run } = await follow(person, address.url);
  expectStatus(await patch(person, run.id, 1, { capacity: 7 }), 200);
  expectStatus(await patch(person, run.id, 2, { skip: true }), 200);
  address.say(fileOf('Alder', 'Birch', 'Cedar'));
  await eventually('the entry', async () => (await waitingOf(person, source.id)).length === 3);
  const entries = await waitingOf(person, source.id);
  assert.deepEqual(
    entries.map(({ n, state, event }) => [n, state, event.title, event.capacity]),
    [
      [1, 'new', 'Alder', 7],
      [2, 'skipped', 'Birch', 0],
      [3, 'new', 'Cedar', 0],
    ],
  );
  await publish(person, run.id);
  assert.deepEqual(await titlesOf(person), ['Alder', 'Cedar']);
  // What was left out comes back only if the calendar changes it.
  await reads(person, source.id, 2);
  assert.deepEqual(await waitingOf(person, source.id), []);
  address.say(fileOf('Alder', { SUMMARY: 'Birch', DESCRIPTION: 'New words' }, 'Cedar'));
  const [returned] = await eventually('the entry', async () => {
    const found = await waitingOf(person, source.id);
    return found.length === 1 && found;
  });
  assert.deepEqual([returned?.state, returned?.event.title], ['new', 'Birch']);
});

test('source: with autoPublish, new and changed entries become events, and doubtful ones wait', async () => {
  const lost = { SUMMARY: 'Lost', GEO: undefined, LOCATION: undefined };
  const { person, address, source, run } = await automatic('Alder', lost);
  assert.equal(run.status, 'review');
  const entries = await entriesOf(person, run.id);
  assert.deepEqual(
    entries.map(({ state, eventId }) => [state, eventId !== null]),
    [
      ['new', true],
      ['doubtful', false],
    ],
  );
  assert.equal((await get(person, source.id)).importId, run.id);
  assert.deepEqual(await titlesOf(person), ['Alder']);
  const published = entries.find(({ state }) => state === 'new');
  expectProblem(await patch(person, run.id, published?.n ?? 0, { title: 'Late' }), 409, 'import_published');
  address.say(fileOf({ SUMMARY: 'Alders', UID: 'Alder@host' }, lost, 'Birch'));
  await eventually('the events', async () => (await titlesOf(person)).join() === 'Alders,Birch');
  assert.equal((await waitingOf(person, source.id)).length, 1);
  await publish(person, run.id, { doubtful: 'publish' });
  assert.deepEqual(await titlesOf(person), ['Alders', 'Birch', 'Lost']);
  assert.equal((await get(person, source.id)).importId, null);
  assert.equal((await get(person, source.id)).eventsCount, 3);
  await assertCounters(api.sql);
});

// spec: 6 PATCH /v1/sources/:id: what a source publishes by itself
test('source: autoPublish, switched on, publishes what waits but what the person has changed', async () => {
  const person = await createUser(api);
  const { source, run } = await follow(person, host.address(fileOf('Alder', 'Birch')).url);
  expectStatus(await patch(person, run.id, 2, { skip: true }), 200);
  const path = `/v1/sources/${source.id}`;
  const changed = expectStatus(await api.patch(path, person.token, { autoPublish: true }), 200).body;
  assert.equal(changed.autoPublish, true);
  await eventually('the event', async () => (await titlesOf(person)).join() === 'Alder');
  assert.deepEqual(
    (await waitingOf(person, source.id)).map(({ state, event }) => [state, event.title]),
    [['skipped', 'Birch']],
  );
  expectStatus(await api.patch(path, person.token, {}), 200);
});

test('source: stamps of programs are no change, and neither is the order of the entries', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  const before =
    await api.sql`select id, version, sequence from events where organizer_id = ${person.id} order by id`;
  let stamp = 0;
  address.say((response) => {
    const stamps = `DTSTAMP:20270101T${String(++stamp).padStart(6, '0')}Z\r\nCREATED:20270101T000000Z\r\nLAST-MODIFIED:20270101T${String(stamp).padStart(6, '0')}Z\r\nSEQUENCE:${stamp}\r\nEND:VEVENT`;
    response.end(fileOf('Birch', 'Alder').replaceAll('END:VEVENT', stamps));
  });
  await reads(person, source.id, 3);
  assert.ok(stamp >= 3);
  const after =
    await api.sql`select id, version, sequence from events where organizer_id = ${person.id} order by id`;
  assert.deepEqual([...after], [...before]);
  assert.equal((await api.sql`select 1 from import_runs where user_id = ${person.id}`).length, 1);
});

test('source: an entry that is missing in two good fetches an hour apart is cancelled, and restored when it returns', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch', 'Cedar');
  address.say(fileOf('Alder', 'Cedar'));
  await reads(person, source.id);
  assert.equal((await statusesOf(person)).Birch, 'scheduled');
  await eventually('the cancellation', async () => (await statusesOf(person)).Birch === 'cancelled');
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Birch: 'cancelled', Cedar: 'scheduled' });
  address.say(fileOf('Alder', 'Birch', 'Cedar'));
  await eventually('the restoration', async () => (await statusesOf(person)).Birch === 'scheduled');
  assert.equal((await eventsOf(person)).length, 3);
  await assertCounters(api.sql);
});

test('source: without autoPublish, absences and returns apply all the same', async () => {
  const { person, address } = await followed('Alder', 'Birch');
  address.say(fileOf('Alder'));
  await eventually('the cancellation', async () => (await statusesOf(person)).Birch === 'cancelled');
  address.say(fileOf('Alder', { SUMMARY: 'Birches', UID: 'Birch@host' }));
  await eventually('the restoration', async () => (await statusesOf(person)).Birch === 'scheduled');
});

test('source: an entry that is missing in one fetch alone stays', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  let fetches = 0;
  address.say((response) => response.end(++fetches % 2 ? fileOf('Alder') : fileOf('Alder', 'Birch')));
  await reads(person, source.id, 4);
  assert.equal((await statusesOf(person)).Birch, 'scheduled');
});

test('source: past events stay when their entries leave the calendar', async () => {
  const past = { DTSTART: '20260105T170000Z', DTEND: '20260105T180000Z' };
  const { person, address, source } = await automatic({ SUMMARY: 'Old', ...past }, 'Alder');
  address.say(fileOf('Alder'));
  await reads(person, source.id, 3);
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Old: 'scheduled' });
});

test('source: an event that the person restored is not cancelled again, and one that they cancelled is not restored', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch', 'Cedar');
  const idOf = async (title: string) => (await eventsOf(person)).find((one) => one.title === title)?.id;
  expectStatus(
    await api.patch(`/v1/events/${await idOf('Cedar')}`, person.token, { status: 'cancelled' }),
    200,
  );
  address.say(fileOf('Alder'));
  await eventually('the cancellation', async () => (await statusesOf(person)).Birch === 'cancelled');
  expectStatus(
    await api.patch(`/v1/events/${await idOf('Birch')}`, person.token, { status: 'scheduled' }),
    200,
  );
  await reads(person, source.id, 3);
  assert.equal((await statusesOf(person)).Birch, 'scheduled');
  address.say(fileOf('Alder', 'Birch', 'Cedar'));
  await reads(person, source.id, 3);
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Birch: 'scheduled', Cedar: 'cancelled' });
});

test('source: more than half missing, and more than three, wait for the person', async () => {
  const titles = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir'];
  const { person, address, source } = await automatic(...titles);
  address.say(fileOf('Alder', 'Birch'));
  const waiting = await eventually('the review', async () => {
    const found = await waitingOf(person, source.id);
    return found.length === 4 && found;
  });
  assert.deepEqual(
    waiting.map(({ state, event }) => [state, event.status]),
    waiting.map(() => ['changed', 'cancelled']),
  );
  assert.ok(Object.values(await statusesOf(person)).every((status) => status === 'scheduled'));
  // Back again: there is nothing to review.
  address.say(fileOf(...titles));
  await eventually('no review', async () => (await get(person, source.id)).importId === null);
  address.say(fileOf('Alder', 'Birch'));
  await eventually('the review', async () => (await waitingOf(person, source.id)).length === 4);
  const { importId } = await get(person, source.id);
  const [skipped] = await waitingOf(person, source.id);
  expectStatus(await patch(person, importId ?? '', skipped?.n ?? 0, { skip: true }), 200);
  await publish(person, importId ?? '');
  const statuses = await statusesOf(person);
  assert.equal(Object.values(statuses).filter((status) => status === 'cancelled').length, 3);
  assert.equal(statuses[skipped?.event.title], 'scheduled');
  await reads(person, source.id, 2);
  assert.deepEqual(await waitingOf(person, source.id), []);
  address.say(fileOf(...titles));
  await eventually('the restoration', async () =>
    Object.values(await statusesOf(person)).every((status) => status === 'scheduled'),
  );
});

test('source: three of four that are missing are cancelled; so are four of nine', async () => {
  const few = await automatic('Alder', 'Birch', 'Cedar', 'Dogwood');
  const many = await automatic('A1', 'B2', 'C3', 'D4', 'E5', 'F6', 'G7', 'H8', 'I9');
  few.address.say(fileOf('Alder'));
  many.address.say(fileOf('A1', 'B2', 'C3', 'D4', 'E5'));
  const cancelledOf = async (person: typeof few.person) =>
    Object.values(await statusesOf(person)).filter((status) => status === 'cancelled').length;
  await eventually('three cancelled', async () => (await cancelledOf(few.person)) === 3);
  await eventually('four cancelled', async () => (await cancelledOf(many.person)) === 4);
});

test('source: only a complete, readable 200 with at least one entry counts', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  const file = fileOf('Alder');
  for (const [answer, code] of [
    ['<html>Sign in</html>', 'source_unreadable'],
    ['', 'source_unreadable'],
    [calendar(), 'source_unreadable'],
    [calendar('BEGIN:VEVENT\r\nUID:Alder@host\r\nEND:VEVENT\r\n'), 'source_unreadable'],
    [503, 'source_unreachable'],
    [410, 'source_unreachable'],
    [204, 'source_unreachable'],
    ['cut', 'source_unreachable'],
    ['closed', 'source_unreachable'],
    ['garbage', 'source_unreachable'],
  ] as const) {
    await api.sql`update sources set failures = 0 where id = ${source.id}`;
    address.say((response) => {
      if (answer === 'cut') {
        response.writeHead(200, { 'content-length': 10_000 }).write(file);
        setTimeout(() => response.destroy(), 20);
      } else if (answer === 'closed') response.destroy();
      else if (answer === 'garbage') response.writeHead(200, { 'content-encoding': 'gzip' }).end(file);
      else if (typeof answer === 'number') response.writeHead(answer).end(answer === 204 ? '' : file);
      else response.end(answer);
    });
    await eventually(`${answer}`, async () => (await get(person, source.id)).problem?.code === code);
    address.say(fileOf('Alder', 'Birch'));
    await eventually('a good fetch', async () => (await get(person, source.id)).problem === null);
  }
  address.say(calendar());
  const failing = await eventually('a problem', async () => {
    const found = await get(person, source.id);
    return found.problem && found;
  });
  assert.ok(failing.lastGoodAt);
  await hoursLater(3);
  assert.equal((await get(person, source.id)).lastGoodAt, failing.lastGoodAt);
  assert.deepEqual(await statusesOf(person), { Alder: 'scheduled', Birch: 'scheduled' });
  assert.doesNotMatch(JSON.stringify(failing.problem), /Sign in|127\.0\.0\.1|calendar-\d/);
});

test('source: an entry that cannot be read any more is not missing', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  address.say(fileOf('Alder', { SUMMARY: 'Birch', DTSTART: 'yesterday', DTEND: undefined }));
  await reads(person, source.id, 3);
  assert.equal((await statusesOf(person)).Birch, 'scheduled');
});

test('source: a UID that vanished and a new one with equal title and start are the same event', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  const before = await eventsOf(person);
  for (const round of [1, 2, 3]) {
    address.say(fileOf({ SUMMARY: 'Alder', UID: `${round}-a` }, { SUMMARY: 'Birch', UID: `${round}-b` }));
    await reads(person, source.id, 2);
  }
  assert.deepEqual(await eventsOf(person), before);
  // The key moved along: the next change reaches the event.
  address.say(fileOf({ SUMMARY: 'Alders', UID: '3-a' }, { SUMMARY: 'Birch', UID: '3-b' }));
  await eventually('the change', async () => (await titlesOf(person)).join() === 'Alders,Birch');
  const birch = before.find(({ title }) => title === 'Birch');
  expectStatus(await api.delete(`/v1/events/${birch?.id}`, person.token), 200);
  address.say(fileOf({ SUMMARY: 'Alders', UID: '4-a' }, { SUMMARY: 'Birch', UID: '4-b' }));
  await reads(person, source.id, 2);
  assert.deepEqual(await titlesOf(person), ['Alders']);
});

test('source: fields that were edited here stay; a newer value is a changed entry of the review, once', async () => {
  const { person, address, source } = await automatic('Alder');
  const [event] = await eventsOf(person);
  const edit = { title: 'Our alder', capacity: 9 };
  expectStatus(await api.patch(`/v1/events/${event?.id}`, person.token, edit), 200);
  await reads(person, source.id);
  const changed = { SUMMARY: 'Elder', UID: 'Alder@host', DESCRIPTION: 'From the host' };
  address.say(fileOf(changed));
  const [entry] = await eventually('the review', async () => {
    const found = await waitingOf(person, source.id);
    return found.length === 1 && found;
  });
  assert.deepEqual([entry?.state, entry?.event.title], ['changed', 'Elder']);
  const record = await eventually('the description', async () => {
    const { body } = await api.get(`/v1/events/${event?.id}`, person.token);
    return body.description === 'From the host' && body;
  });
  assert.deepEqual([record.title, record.capacity], ['Our alder', 9]);
  const { importId } = await reads(person, source.id, 2);
  assert.equal((await waitingOf(person, source.id)).length, 1);
  expectStatus(await patch(person, importId ?? '', entry?.n ?? 0, { skip: true }), 200);
  await publish(person, importId ?? '');
  await reads(person, source.id, 3);
  assert.deepEqual(await waitingOf(person, source.id), []);
  assert.deepEqual(await titlesOf(person), ['Our alder']);
  address.say(fileOf({ ...changed, SUMMARY: 'Elderberry' }));
  await eventually('the review', async () => (await waitingOf(person, source.id)).length === 1);
  const again = await get(person, source.id);
  await publish(person, again.importId ?? '');
  assert.deepEqual(await titlesOf(person), ['Elderberry']);
  await assertCounters(api.sql);
});

test('source: what was deleted here does not return', async () => {
  const { person, address, source } = await automatic('Alder', 'Birch');
  const [event] = await eventsOf(person);
  expectStatus(await api.delete(`/v1/events/${event?.id}`, person.token), 200);
  address.say(fileOf({ SUMMARY: 'Alder', DESCRIPTION: 'Changed' }, 'Birch'));
  await reads(person, source.id, 2);
  assert.deepEqual(await titlesOf(person), ['Birch']);
  assert.equal((await get(person, source.id)).importId, null);
  assert.equal((await get(person, source.id)).eventsCount, 1);
});

test('source: each has keys of its own, apart from those of uploads', async () => {
  const person = await createUser(api);
  const file = fileOf('Alder');
  const [one, other] = [host.address(file), host.address(fileOf({ SUMMARY: 'Zelkova', UID: 'Alder@host' }))];
  await follow(person, one.url, { autoPublish: true });
  await follow(person, other.url, { autoPublish: true });
  await eventually('both', async () => (await titlesOf(person)).join() === 'Alder,Zelkova');
  other.say(fileOf({ SUMMARY: 'Zinnia', UID: 'Alder@host' }));
  await eventually('the change', async () => (await titlesOf(person)).join() === 'Alder,Zinnia');
});

// spec: 6 DELETE /v1/sources/:id: a calendar is not followed any more
test('delete: 200, and its events stay; the review is gone, and nothing is fetched any more', async () => {
  const { person, address, source } = await followed('Alder');
  address.say(fileOf('Alder', 'Birch'));
  await eventually('the review', async () => (await get(person, source.id)).importId !== null);
  const { importId } = await get(person, source.id);
  expectStatus(await api.delete(`/v1/sources/${source.id}`, person.token), 200);
  expectProblem(await api.get(`/v1/sources/${source.id}`, person.token), 404, 'source_not_found');
  expectProblem(await api.get(`/v1/imports/${importId}`, person.token), 404, 'import_not_found');
  const fetches = address.requests().length;
  await hoursLater(3);
  assert.equal(address.requests().length, fetches);
  assert.deepEqual(await titlesOf(person), ['Alder']);
  // Who follows it again has the events that exist.
  const { run } = await follow(person, address.url);
  assert.deepEqual([run.counts.same, run.counts.new], [1, 1]);
});

// spec: 6 POST /v1/sources/:id/refresh: a calendar is fetched now
test('refresh: 202, and the calendar is fetched at once; 429 within a minute', async () => {
  const { person, address, source } = await automatic('Alder');
  await api.sql`update sources set due_at = ${new Date(clock.now().getTime() + 30_000)} where id = ${source.id}`;
  address.say(fileOf('Alder', 'Birch'));
  const path = `/v1/sources/${source.id}/refresh`;
  assert.equal(expectStatus(await api.post(path, person.token), 202).body.id, source.id);
  await eventually('the event', async () => (await titlesOf(person)).length === 2);
  const refused = expectProblem(await api.post(path, person.token), 429, 'too_many_requests');
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 60);
});
