/** What people report, and what admins do with it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { findRowsContaining } from './database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
} from './factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const admin = await createAdmin(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

type Subject = { type: string; id: string };
const report = (who: Person, subject: Subject, more: object = {}, on: TestApp = api) =>
  on.post('/v1/reports', who.token, { subject, reason: 'spam', ...more });
const list = async (query = '', on: TestApp = api) =>
  expectStatus(await on.get(`/v1/admin/reports?${query}`, admin.token), 200).body;
const resolve = (id: string, body: object = { status: 'resolved' }) =>
  api.patch(`/v1/admin/reports/${id}`, admin.token, body);

// spec: 3 POST /v1/reports: reports to the admins
test('report: 201 with what was said, of an event, an item and a person', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const subjects = [
    { type: 'event', id: event.id },
    { type: 'item', id: item.id },
    { type: 'user', id: organizer.id },
  ];
  for (const subject of subjects) {
    const { body } = expectStatus(await report(guest, subject, { reason: 'scam', text: 'Not\nfree.' }), 201);
    const { id, createdAt, ...rest } = body;
    assert.ok(id && Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(rest, { subject, reason: 'scam', text: 'Not\nfree.', status: 'open' });
    const [first] = (await list()).data;
    const { reporter, about, note, resolvedAt, message, ...told } = first;
    assert.deepEqual(told, body);
    assert.deepEqual(
      [reporter.id, reporter.username, about.id, about.username, about.isSuspended],
      [guest.id, guest.username, organizer.id, organizer.username, false],
    );
    assert.deepEqual([note, resolvedAt, message], ['', null, null]);
  }
  assert.equal(expectStatus(await report(organizer, { type: 'user', id: guest.id }), 201).body.text, '');
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 404 for what does not exist or the caller may not see, whatever it is', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const item = await createItem(api, organizer, draft.id);
  const event = await createEvent(api, organizer);
  const gone = await createUser(api);
  expectStatus(await deleteAccount(api, gone), 200);
  const nothing: [string, string][] = [
    ['event', draft.id],
    ['item', item.id],
    ['item', `${event.id}.1`],
    ['item', event.id],
    ['event', organizer.id],
    ['user', event.id],
    ['user', gone.id],
    ...['event', 'message', 'user'].flatMap((type) => [
      [type, unknown] as [string, string],
      [type, 'nonsense'] as [string, string],
    ]),
  ];
  for (const [type, id] of nothing)
    expectProblem(await report(guest, { type, id }), 404, 'subject_not_found');
  // What is hidden is there for admins, and so is who is suspended.
  const suspended = await createUser(api);
  const theirs = await createEvent(api, suspended);
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}), 200);
  for (const subject of [
    { type: 'user', id: suspended.id },
    { type: 'event', id: theirs.id },
  ]) {
    expectProblem(await report(guest, subject), 404, 'subject_not_found');
    expectStatus(await report(admin, subject), 201);
  }
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 201 of a message by whom it was sent to alone, and admins read that message', async () => {
  const [writer, reader, other] = await createUsers(api, 3);
  assert.ok(writer && reader && other);
  const write = async (text: string) =>
    expectStatus(await api.post(`/v1/users/${reader.id}/messages`, writer.token, { text }), 201).body;
  const subject = { type: 'message', id: (await write('Send me your code.')).id };
  await write('Never mind.');
  for (const who of [writer, other, admin])
    expectProblem(await report(who, subject), 404, 'subject_not_found');
  const { body } = expectStatus(await report(reader, subject, { reason: 'scam' }), 201);
  const [{ id, about, message }] = (await list()).data;
  assert.deepEqual([id, about.id, message.text], [body.id, writer.id, 'Send me your code.']);
  assert.equal((await resolve(id)).body.message.text, 'Send me your code.');
  expectStatus(await deleteAccount(api, writer), 200);
  assert.equal((await api.sql`select 1 from reports where id = ${id}`).length, 0);
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 409 the second time, also of ten at once on two instances; another person may', async () => {
  const [organizer, guest, other] = await createUsers(api, 3);
  assert.ok(organizer && guest && other);
  const subject = { type: 'event', id: (await createEvent(api, organizer)).id };
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => report(guest, subject, {}, i % 2 ? api : second)),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201))
    expectProblem(answer, 409, 'already_reported');
  // In capitals it is the same event, and resolved it is the same report.
  expectProblem(await report(guest, { ...subject, id: subject.id.toUpperCase() }), 409, 'already_reported');
  expectStatus(await resolve(made[0]?.body.id), 200);
  expectProblem(await report(guest, subject), 409, 'already_reported');
  expectStatus(await report(other, subject), 201);
});

test('report: 400 for oneself and what is one’s own, for unknown kinds and reasons, and above 2,000 characters', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const event = await createEvent(api, person);
  expectProblem(await report(person, { type: 'user', id: person.id }), 400, 'self_relation');
  expectProblem(await report(person, { type: 'event', id: event.id }), 400, 'self_relation');
  const subject = { type: 'event', id: event.id };
  const wrong: [string, unknown][] = [
    ['subject', undefined],
    ['reason', undefined],
    ['reason', 'boredom'],
    ['text', 'x'.repeat(2_001)],
    ['text', null],
    ['subject.type', { type: 'claim', id: event.id }],
    ['subject.id', { type: 'event' }],
  ];
  for (const [path, value] of wrong) {
    const [field = ''] = path.split('.');
    const answer = await report(other, subject, { [field]: value });
    const { body } = expectProblem(answer, 400, 'invalid_request');
    assert.ok(
      body.errors.some((error: { path: string }) => error.path === path),
      JSON.stringify(body.errors),
    );
  }
  expectStatus(await report(other, subject, { text: 'x'.repeat(2_000) }), 201);
});

test('report: once more under the same key, and 429 above 50 in 24 hours, however many at once', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const ids: string[] = [];
  for (let i = 0; i < 53; i++) ids.push((await createEvent(api, organizer)).id);
  const body = { subject: { type: 'event', id: ids[0] }, reason: 'other' };
  const send = () =>
    second.call('POST', '/v1/reports', {
      token: guest.token,
      body,
      headers: { 'idempotency-key': 'one-report' },
    });
  const first = expectStatus(await send(), 201);
  const again = expectStatus(await send(), 201);
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true']);
  const answers = await Promise.all(
    ids.slice(1).map((id, i) => report(guest, { type: 'event', id }, {}, i % 2 ? api : second)),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 3);
  for (const answer of refused) {
    expectProblem(answer, 429, 'too_many_requests');
    assert.ok(Number(answer.headers.get('retry-after')) > 86_000);
  }
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reports: 200 for admins, the newest first, by status, every one once in pages', async () => {
  const all = await api.sql<{ id: string }[]>`select id from reports order by created_at desc, id desc`;
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list(`limit=7${cursor && `&cursor=${cursor}`}`, second);
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  );
  for (const status of ['open', 'resolved']) {
    const { data } = await list(`status=${status}&limit=50`);
    assert.ok(data.length > 0 && data.every((each: { status: string }) => each.status === status));
  }
  const person = await createUser(api);
  for (const call of [
    api.get('/v1/admin/reports', person.token),
    api.patch(`/v1/admin/reports/${unknown}`, person.token, { status: 'resolved' }),
  ])
    expectProblem(await call, 403, 'not_admin');
  for (const query of ['status=lost', 'cursor=nonsense', 'limit=0'])
    expectProblem(await api.get(`/v1/admin/reports?${query}`, admin.token), 400, 'invalid_request');
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('resolve: 200 with the note, once in the audit trail; 404 for an unknown report, 400 for reopening', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const { body } = expectStatus(await report(guest, { type: 'user', id: organizer.id }), 201);
  const done = expectStatus(await resolve(body.id, { status: 'resolved', note: 'Spoke to them.' }), 200).body;
  assert.deepEqual([done.id, done.status, done.note], [body.id, 'resolved', 'Spoke to them.']);
  assert.ok(Math.abs(Date.parse(done.resolvedAt) - Date.now()) < 60_000);
  const again = expectStatus(await resolve(body.id), 200).body;
  assert.deepEqual(again, done);
  assert.equal(expectStatus(await resolve(body.id, { status: 'resolved', note: 'x' }), 200).body.note, 'x');
  const trail =
    await api.sql`select user_id from audit where what = 'report_resolved' and detail = ${body.id}`;
  assert.deepEqual([...trail], [{ userId: admin.id }]);
  for (const id of [unknown, 'nonsense']) expectProblem(await resolve(id), 404, 'report_not_found');
  for (const wrong of [{}, { status: 'open' }, { status: 'resolved', note: 'x'.repeat(2_001) }])
    expectProblem(await resolve(body.id, wrong), 400, 'invalid_request');
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reports: a deleted account leaves neither what it reported nor what was reported of it; a deleted event leaves its own', async () => {
  const [bad, good, other] = await createUsers(api, 3);
  assert.ok(bad && good && other);
  const event = await createEvent(api, bad);
  const text = { text: 'Organized by Mr Quux' };
  expectStatus(await report(good, { type: 'event', id: event.id }, text), 201);
  expectStatus(await report(good, { type: 'user', id: bad.id }, text), 201);
  expectStatus(await report(bad, { type: 'user', id: good.id }, text), 201);
  expectStatus(await report(other, { type: 'user', id: good.id }, { text: 'Of Quux too' }), 201);
  // Who deletes what was reported does not get rid of the report.
  expectStatus(await api.delete(`/v1/events/${event.id}`, bad.token), 200);
  assert.equal((await api.sql`select 1 from reports where subject_id = ${event.id}`).length, 1);
  expectStatus(await deleteAccount(api, bad), 200);
  const left = await findRowsContaining(api.sql, [bad.id, event.id, 'Mr Quux']);
  assert.deepEqual(left, []);
  expectStatus(await deleteAccount(api, good), 200);
  assert.deepEqual(await findRowsContaining(api.sql, [good.id, 'Quux']), []);
});

test('reports: of each other, while both delete their accounts at once: no 5xx, and nothing is left', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = await createUsers(api, 2);
    assert.ok(a && b);
    const answers = await Promise.all([
      report(a, { type: 'user', id: b.id }),
      report(b, { type: 'user', id: a.id }, {}, second),
    ]);
    for (const answer of answers) expectStatus(answer, 201);
    const third = await createUser(api);
    const [x, y, late] = await Promise.all([
      deleteAccount(api, a),
      deleteAccount(second, b),
      report(third, { type: 'user', id: a.id }, {}, second),
    ]);
    for (const answer of [x, y]) expectStatus(answer, 200);
    assert.ok([201, 404].includes(late.status), `${late.status}`);
    assert.deepEqual(await findRowsContaining(api.sql, [a.id, b.id]), []);
  }
});
