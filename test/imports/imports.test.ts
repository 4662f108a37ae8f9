/** Imports of files: reading, the review, the publication, and the same file again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { deleteOldRuns } from '../../src/modules/imports/runs/repo.ts';
import { runImports } from '../../src/modules/imports/runs/run-imports.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createImportClient } from './import-client.ts';

const api = await startTestApp();
const { send, get, until, review, entriesOf, sendPublish, publish, take, patch, eventOf } =
  createImportClient(api);
const person = await createUser(api);
const stranger = await createUser(api);
const one = () => calendar(calendarEntry());

// spec: 6 POST /v1/imports, GET /v1/imports/:id, GET /v1/imports/:id/entries: imports of calendars
test('import: 202 while a server reads the file; nothing is an event before the publication', async () => {
  const sent = expectStatus(await send(person, calendar(calendarEntry({ SUMMARY: 'Bread' }))), 202);
  assert.equal(sent.headers.get('location'), `/v1/imports/${sent.body.id}`);
  const { id, createdAt, ...fields } = sent.body;
  assert.deepEqual(fields, {
    status: 'reading',
    counts: { new: 0, changed: 0, same: 0, doubtful: 0, refused: 0, waiting: 0 },
    questions: [],
    problem: null,
    progress: 0,
  });
  assert.ok(Date.parse(createdAt) > 0);
  const run = await until(person, id, 'review');
  assert.deepEqual([run.counts.new, run.counts.doubtful, run.problem], [1, 0, null]);
  const [entry, ...others] = await entriesOf(person, id);
  assert.equal(others.length, 0);
  assert.ok(entry);
  const { event, ...rest } = entry;
  assert.deepEqual(rest, {
    ...{ n: 1, state: 'new', series: null, eventId: null, doubts: [], duplicates: [], line: 4, reason: null },
  });
  assert.deepEqual(
    [
      event.title,
      event.startAt,
      event.endAt,
      event.visibility,
      event.category,
      event.status,
      event.locationKind,
    ],
    [
      'Bread',
      '2027-03-05T17:00:00.000Z',
      '2027-03-05T20:00:00.000Z',
      'public',
      'other',
      'scheduled',
      'place',
    ],
  );
  assert.deepEqual(event.location, { address: 'Mathallen, Oslo', lat: 59.9139, lng: 10.7522, isExact: true });
  assert.equal((await api.sql`select 1 from events where organizer_id = ${person.id}`).length, 0);
  const done = await publish(person, id);
  assert.deepEqual([done.status, done.progress, done.counts.new], ['done', 1, 1]);
  const [published] = await entriesOf(person, id);
  assert.ok(published);
  const record = await eventOf(person, published);
  assert.deepEqual(
    [record.title, record.organizer.id, record.location, record.visibility],
    ['Bread', person.id, event.location, 'public'],
  );
  await assertCounters(api.sql);
});

test('import: the parameters visibility and category count for entries that say nothing of them', async () => {
  const file = calendar(
    calendarEntry(),
    calendarEntry({
      CLASS: 'PRIVATE',
      CATEGORIES: 'music',
      DTSTART: '20270405T170000Z',
      DTEND: '20270405T180000Z',
    }),
  );
  const { id } = await review(person, file, '?visibility=unlisted&category=food');
  const entries = await entriesOf(person, id);
  assert.deepEqual(
    entries.map(({ event }) => [event.visibility, event.category]),
    [
      ['unlisted', 'food'],
      ['private', 'music'],
    ],
  );
});

test('import: 400 for a place, visibility or category that does not exist, and an unknown parameter', async () => {
  for (const query of ['?place=91,1', '?place=Oslo', '?visibility=secret', '?category=x', '?x=1'])
    expectProblem(await send(person, one(), query), 400, 'invalid_request');
});

test('import: 401 without a token; 404 for an import of somebody else, an unknown and a malformed id', async () => {
  expectProblem(await send(undefined, one()), 401, 'token_missing');
  const { id } = await review(person, one());
  for (const unknown of [id, '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1', 'x']) {
    const [path, token] = [`/v1/imports/${unknown}`, stranger.token];
    expectProblem(await api.get(path, token), 404, 'import_not_found');
    expectProblem(await api.get(`${path}/entries`, token), 404, 'import_not_found');
    expectProblem(await api.patch(`${path}/entries/1`, token, { skip: true }), 404, 'import_not_found');
    expectProblem(await api.post(`${path}/publish`, token, {}), 404, 'import_not_found');
  }
  for (const n of ['2', '0', 'x', '1.5']) {
    const patched = await api.patch(`/v1/imports/${id}/entries/${n}`, person.token, { skip: true });
    expectProblem(patched, 404, 'entry_not_found');
  }
});

test('import: 415 for another media type, 400 without a body', async () => {
  for (const type of ['text/plain', 'application/octet-stream', 'image/png'])
    expectProblem(await send(person, one(), '', { 'content-type': type }), 415, 'unsupported_media_type');
  expectProblem(await api.call('POST', '/v1/imports', { token: person.token }), 400, 'invalid_request');
});

test('import: 413 above 5 MB and above 5,000 entries, before anything is stored', async () => {
  const before = await api.sql`select 1 from import_runs`;
  const long = `BEGIN:VCALENDAR\r\nX-LONG:${'x'.repeat(5_000_000)}\r\nEND:VCALENDAR`;
  expectProblem(await send(person, long), 413, 'payload_too_large');
  const many = calendar('BEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\n'.repeat(5_001));
  expectProblem(await send(person, many), 413, 'payload_too_large');
  assert.equal((await api.sql`select 1 from import_runs`).length, before.length);
});

test('import: a file that is no calendar, and one with 21 zones of its own, is failed with a problem', async () => {
  const html = await review(person, '<html><body>Not found</body></html>');
  assert.deepEqual([html.status, html.problem.code], ['failed', 'file_unreadable']);
  const zone = (i: number) =>
    `BEGIN:VTIMEZONE\r\nTZID:Own ${i}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n`;
  const zones = await review(
    person,
    calendar(...Array.from({ length: 21 }, (_, i) => zone(i)), calendarEntry()),
  );
  assert.deepEqual([zones.status, zones.problem.code], ['failed', 'payload_too_large']);
  assert.match(zones.problem.detail, /20 time zones/);
  expectProblem(await sendPublish(person, zones.id), 409, 'import_published');
});

test('import: broken entries are refused with a reason and their line, and the others come in', async () => {
  const file = calendar(
    calendarEntry({ SUMMARY: 'Bread', DTSTART: '20280305T170000Z', DTEND: '20280305T180000Z' }),
    calendarEntry({ SUMMARY: 'No date', DTSTART: undefined, DTEND: undefined }),
    calendarEntry({ SUMMARY: undefined }),
  );
  const run = await review(person, file);
  assert.deepEqual([run.counts.new, run.counts.refused], [1, 2]);
  const refused = await entriesOf(person, run.id, '&state=refused');
  assert.deepEqual(
    refused.map(({ n, event, line, reason }) => [n, event, line, reason]),
    [
      [2, null, 12, '"No date" has no DTSTART'],
      [3, null, 18, 'has no SUMMARY'],
    ],
  );
  expectProblem(await patch(person, run.id, 3, { skip: false }), 400, 'invalid_request');
  await publish(person, run.id);
  assert.deepEqual(
    (await entriesOf(person, run.id)).map(({ eventId }) => eventId !== null),
    [true, false, false],
  );
});

// spec: 6 PATCH /v1/imports/:id/entries/:n: an entry is changed or skipped
test('change: the fields of section 14 change what is stored; a refused entry gets what it lacks', async () => {
  const file = calendar(
    calendarEntry(),
    calendarEntry({ SUMMARY: undefined }),
    calendarEntry({ SUMMARY: 'Third' }),
  );
  const { id } = await review(person, file);
  const changed = expectStatus(
    await patch(person, id, 1, { title: 'Rye', capacity: 12, price: 5 }),
    200,
  ).body;
  assert.deepEqual(
    [changed.n, changed.state, changed.event.title, changed.event.capacity],
    [1, 'new', 'Rye', 12],
  );
  const event = {
    title: 'Named here',
    startAt: '2027-05-01T18:00:00Z',
    endAt: '2027-05-01T20:00:00Z',
    location: { address: 'Oslo', lat: 59.91, lng: 10.75 },
    category: 'food',
  };
  assert.equal(expectStatus(await patch(person, id, 2, event), 200).body.state, 'new');
  assert.equal(expectStatus(await patch(person, id, 3, { skip: true }), 200).body.state, 'skipped');
  assert.deepEqual((await get(person, id)).counts, {
    new: 2,
    changed: 0,
    same: 0,
    doubtful: 0,
    refused: 0,
    waiting: 0,
  });
  await publish(person, id);
  const [first, second, third] = await entriesOf(person, id);
  assert.ok(first && second && third);
  const record = await eventOf(person, first);
  assert.deepEqual([record.title, record.capacity, record.price], ['Rye', 12, 5]);
  assert.equal((await eventOf(person, second)).title, 'Named here');
  assert.equal(third.eventId, null);
  expectProblem(await patch(person, id, 1, { title: 'Late' }), 409, 'import_published');
});

test('change: 400 that names the field for what no event may have', async () => {
  const { id } = await review(person, one());
  for (const [body, field] of [
    [{ title: '' }, 'title'],
    [{ endAt: '2020-01-01T00:00:00Z' }, 'endAt'],
    [{ capacity: -1 }, 'capacity'],
    [{ price: 5.123 }, 'price'],
    [{ unknown: 1 }, 'unknown'],
    [{ message: 'Hello' }, 'message'],
    [{ skip: 'yes' }, 'skip'],
  ] as const) {
    const { body: problem } = expectProblem(await patch(person, id, 1, body), 400, 'invalid_request');
    assert.equal(problem.errors[0].path, field, JSON.stringify(body));
  }
});

// spec: 6 POST /v1/imports/:id/publish: the entries become events, once
test('publish: once; doubtful entries only if the person says so, or accepts them singly', async () => {
  const unknown = { GEO: undefined, LOCATION: undefined };
  const file = calendar(
    calendarEntry({ SUMMARY: 'Known' }),
    calendarEntry({ SUMMARY: 'Unknown', ...unknown }),
    calendarEntry({ SUMMARY: 'Accepted', ...unknown }),
  );
  const { id, counts } = await review(person, file);
  assert.deepEqual([counts.new, counts.doubtful], [1, 2]);
  const accepted = expectStatus(await patch(person, id, 3, { skip: false }), 200).body;
  assert.deepEqual([accepted.state, accepted.doubts], ['new', []]);
  await publish(person, id);
  assert.deepEqual(
    (await entriesOf(person, id)).map(({ state, eventId }) => [state, eventId !== null]),
    [
      ['new', true],
      ['doubtful', false],
      ['new', true],
    ],
  );
  expectProblem(await sendPublish(person, id), 409, 'import_published');
  const again = await review(person, file);
  assert.deepEqual([again.counts.same, again.counts.doubtful], [2, 1]);
  await publish(person, again.id, { doubtful: 'publish' });
  const [, doubtful] = await entriesOf(person, again.id);
  assert.ok(doubtful);
  assert.equal((await eventOf(person, doubtful)).locationKind, 'later');
});

test('import: entries without a place are to be announced and doubtful; with a place they get it', async () => {
  const file = calendar(
    'X-WR-TIMEZONE:Europe/Stockholm\r\n',
    calendarEntry({ SUMMARY: 'Choir', GEO: undefined, LOCATION: undefined }),
    calendarEntry({ SUMMARY: 'Stream', GEO: undefined, LOCATION: 'https://meet.example/choir' }),
  );
  const [later, online] = await entriesOf(person, (await review(person, file)).id);
  assert.deepEqual(
    [later?.state, later?.doubts, later?.event.locationKind, later?.event.location.isExact],
    ['doubtful', ['place'], 'later', false],
  );
  assert.notDeepEqual([later?.event.location.lat, later?.event.location.lng], [0, 0]);
  assert.deepEqual(
    [online?.state, online?.event.locationKind, online?.event.onlineUrl],
    ['new', 'online', 'https://meet.example/choir'],
  );
  const [placed] = await take(person, file, '?place=59.3293,18.0686');
  assert.ok(placed);
  const record = await eventOf(person, placed);
  assert.deepEqual(
    [placed.state, record.locationKind, record.location.lat, record.location.lng],
    ['new', 'place', 59.3293, 18.0686],
  );
});

test('import: the same file twice changes nothing; a changed one shows what it changes', async () => {
  const owner = await createUser(api);
  const file = calendar(calendarEntry({ SUMMARY: 'Alder' }), calendarEntry({ SUMMARY: 'Birch' }));
  const [alder, birch] = await take(owner, file);
  assert.ok(alder && birch);
  const before = await eventOf(owner, birch);
  const noise = file
    .replaceAll('END:VEVENT', 'DTSTAMP:20270101T000000Z\r\nLAST-MODIFIED:20270101T000000Z\r\nEND:VEVENT')
    .replace('VERSION:2.0', 'VERSION:2.0\r\nX-PUBLISHED-TTL:PT1H');
  for (const again of [file, noise]) {
    const { id, counts } = await review(owner, again);
    assert.deepEqual([counts.same, counts.new, counts.changed], [2, 0, 0]);
    await publish(owner, id);
  }
  assert.deepEqual(await eventOf(owner, birch), before);
  const { id, counts } = await review(owner, file.replace('Birch', 'Birches'));
  assert.deepEqual([counts.same, counts.changed], [1, 1]);
  const [changed] = await entriesOf(owner, id, '&state=changed');
  assert.deepEqual([changed?.event.title, changed?.eventId], ['Birches', null]);
  assert.equal((await eventOf(owner, birch)).title, 'Birch');
  await publish(owner, id);
  assert.equal((await eventOf(owner, birch)).title, 'Birches');
  await assertCounters(api.sql);
});

test('import: what was changed here stays, unless the file has a newer value, which the review shows', async () => {
  const owner = await createUser(api);
  const file = calendar(calendarEntry({ SUMMARY: 'Alder' }));
  const [entry] = await take(owner, file);
  assert.ok(entry);
  const edit = { title: 'Our alder', description: 'Written here', capacity: 9 };
  expectStatus(await api.patch(`/v1/events/${entry.eventId}`, owner.token, edit), 200);
  assert.equal((await review(owner, file)).counts.same, 1);
  const later = file.replace('20270305T200000Z', '20270305T210000Z');
  await take(owner, later);
  const record = await eventOf(owner, entry);
  assert.deepEqual(
    [record.title, record.description, record.capacity, record.endAt],
    ['Our alder', 'Written here', 9, '2027-03-05T21:00:00.000Z'],
  );
  const renamed = await review(owner, later.replace('Alder', 'Elder'));
  const [changed] = await entriesOf(owner, renamed.id);
  assert.deepEqual([changed?.state, changed?.event.title], ['changed', 'Elder']);
  expectStatus(await patch(owner, renamed.id, 1, { skip: true }), 200);
  await publish(owner, renamed.id);
  assert.equal((await eventOf(owner, entry)).title, 'Our alder');
  assert.equal((await review(owner, later.replace('Alder', 'Elder'))).counts.same, 1);
});

test('import: what was deleted here does not return, unless the person says so', async () => {
  const owner = await createUser(api);
  const file = calendar(calendarEntry({ SUMMARY: 'Alder' }));
  const [entry] = await take(owner, file);
  assert.ok(entry);
  expectStatus(await api.delete(`/v1/events/${entry.eventId}`, owner.token), 200);
  const run = await review(owner, file);
  const [again] = await entriesOf(owner, run.id);
  assert.deepEqual([again?.state, again?.event.title], ['skipped', 'Alder']);
  await publish(owner, run.id, { doubtful: 'publish' });
  assert.equal((await entriesOf(owner, run.id))[0]?.eventId, null);
  const other = await review(owner, file);
  expectStatus(await patch(owner, other.id, 1, { skip: false }), 200);
  await publish(owner, other.id);
  const [returned] = await entriesOf(owner, other.id);
  assert.ok(returned);
  assert.equal((await eventOf(owner, returned)).title, 'Alder');
  assert.equal((await review(owner, file)).counts.same, 1);
});

test('import: STATUS:CANCELLED and METHOD:CANCEL cancel what was imported, and add nothing', async () => {
  const owner = await createUser(api);
  const file = calendar(calendarEntry({ UID: 'a@x' }), calendarEntry({ UID: 'b@x', SUMMARY: 'Other' }));
  const [a, b] = await take(owner, file);
  assert.ok(a && b);
  await take(owner, calendar(calendarEntry({ UID: 'a@x', STATUS: 'CANCELLED' })));
  assert.equal((await eventOf(owner, a)).status, 'cancelled');
  const cancel = calendar(
    'METHOD:CANCEL\r\n',
    calendarEntry({ UID: 'b@x' }),
    calendarEntry({ UID: 'never@x' }),
  );
  const entries = await take(owner, cancel);
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['changed', 'same'],
  );
  assert.equal((await eventOf(owner, b)).status, 'cancelled');
});

test('import: entries are duplicates of events of the day within a kilometre with a similar title that the caller sees', async () => {
  const owner = await createUser(api);
  const at = (fields: object) =>
    createEvent(api, stranger, {
      title: 'Sourdough evening!',
      startAt: '2027-03-05T18:00:00Z',
      endAt: '2027-03-05T19:00:00Z',
      location: { address: 'Oslo', lat: 59.9145, lng: 10.753 },
      ...fields,
    });
  const same = await at({});
  await at({ location: { address: 'Oslo', lat: 59.94, lng: 10.753 } });
  await at({ title: 'Football' });
  await at({ startAt: '2027-03-07T18:00:00Z', endAt: '2027-03-07T19:00:00Z' });
  await at({ visibility: 'private' });
  await at({ visibility: 'unlisted' });
  const file = calendar(calendarEntry());
  const [entry] = await entriesOf(owner, (await review(owner, file)).id);
  assert.deepEqual([entry?.state, entry?.doubts, entry?.duplicates], ['doubtful', ['duplicate'], [same.id]]);
  const own = calendarEntry({
    UID: `${same.id}@localhost`,
    SUMMARY: 'Quite another',
    DTSTART: '20280101T100000Z',
    DTEND: undefined,
  });
  const [byUid] = await entriesOf(owner, (await review(owner, calendar(own))).id);
  assert.deepEqual(byUid?.duplicates, [same.id]);
  for (const event of await api.sql<{ id: string }[]>`
    select id from events where organizer_id = ${stranger.id} and start_at = '2027-03-05T18:00:00Z'`)
    await api.delete(`/v1/events/${event.id}`, stranger.token);
});

test('import: a zone that nothing defines, a mended end and a town in several countries are doubts', async () => {
  const file = calendar(
    calendarEntry({
      SUMMARY: 'Zone',
      DTSTART: undefined,
      DTEND: undefined,
      'DTSTART;TZID=Narnia': '20270516T190000',
    }),
    calendarEntry({ SUMMARY: 'Length', DTSTART: '20270616T190000Z', DTEND: '20270516T190000Z' }),
    calendarEntry({
      SUMMARY: 'Country',
      GEO: undefined,
      LOCATION: 'Birmingham',
      DTSTART: '20270716T190000Z',
      DTEND: undefined,
    }),
  );
  const entries = await entriesOf(person, (await review(person, file)).id);
  assert.deepEqual(
    entries.slice(0, 2).map(({ state, doubts }) => [state, doubts]),
    [
      ['doubtful', ['zone']],
      ['doubtful', ['length']],
    ],
  );
  assert.equal(entries[2]?.state, 'doubtful');
});

test('import: 409 imports_full above 20 that are not done; a person has 1,000 new events a day, and more wait', async () => {
  const owner = await createUser(api);
  for (let i = 0; i < 20; i++) expectStatus(await send(owner, one()), 202);
  expectProblem(await send(owner, one()), 409, 'imports_full');
  const other = await createUser(api);
  await api.sql`insert into daily_counts (user_id, kind, day, used) values (${other.id}, 'imports', (now() at time zone 'utc')::date, 999)`;
  const { id } = await review(
    other,
    calendar(calendarEntry({ SUMMARY: 'A' }), calendarEntry({ SUMMARY: 'B' })),
  );
  expectStatus(await sendPublish(other, id), 202);
  for (let tries = 0; (await get(other, id)).counts.waiting === 0 && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const waiting = await get(other, id);
  assert.deepEqual([waiting.status, waiting.counts.waiting, waiting.progress], ['publishing', 1, 0.5]);
  await api.sql`delete from daily_counts where user_id = ${other.id}`;
  await api.sql`update import_runs set due_at = now() - interval '1 minute' where user_id = ${other.id}`;
  await runImports({
    ...{
      db: api.sql,
      clock: api.clock.now,
      config: { publicUrl: api.url, dailyQuotas: readConfig({}).dailyQuotas },
    },
    log: { error: () => {}, warn: () => {} },
  });
  const done = await until(other, id, 'done');
  assert.deepEqual([done.counts.waiting, done.progress], [0, 1]);
});

test('import: an idempotency key gives the import of the first request; another file is a 422', async () => {
  const owner = await createUser(api);
  const [file, headers] = [one(), { 'idempotency-key': 'import-1' }];
  const first = expectStatus(await send(owner, file, '', headers), 202).body;
  assert.deepEqual(expectStatus(await send(owner, file, '', headers), 202).body, first);
  expectProblem(await send(owner, one(), '', headers), 422, 'idempotency_key_reused');
});

test('import: imports are kept for 7 days', async () => {
  const owner = await createUser(api);
  const { id } = await review(owner, one());
  await api.sql`update import_runs set created_at = now() - interval '8 days' where user_id = ${owner.id}`;
  await deleteOldRuns(api.sql, new Date());
  expectProblem(await api.get(`/v1/imports/${id}`, owner.token), 404, 'import_not_found');
});
