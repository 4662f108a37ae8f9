/** Reports of events, items, people and messages, and how admins handle them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const admin = await createAdmin(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

type Subject = { type: string; id: string };
const createReport = (reporter: Person, subject: Subject, more: object = {}, server: TestApp = api) =>
  server.post('/v1/reports', reporter.token, { subject, reason: 'spam', ...more });
const listReports = async (query = '', server: TestApp = api) =>
  expectStatus(await server.get(`/v1/admin/reports?${query}`, admin.token), 200).body;
const resolveReport = (id: string, body: object = { status: 'resolved' }) =>
  api.patch(`/v1/admin/reports/${id}`, admin.token, body);

// spec: 3 POST /v1/reports: reports to the admins
test('report: 201 with subject, reason and text, for an event, an item and a person', async () => {
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
    const { body } = expectStatus(
      await createReport(guest, subject, { reason: 'scam', text: 'Not\nfree.' }),
      201,
    );
    const { id, createdAt, ...rest } = body;
    assert.ok(id && Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(rest, { subject, reason: 'scam', text: 'Not\nfree.', status: 'open' });
    const [first] = (await listReports()).data;
    const { reporter, about, note, resolvedAt, message, ...fields } = first;
    assert.deepEqual(fields, body);
    assert.deepEqual(
      [reporter.id, reporter.username, about.id, about.username, about.isSuspended],
      [guest.id, guest.username, organizer.id, organizer.username, false],
    );
    assert.deepEqual([note, resolvedAt, message], ['', null, null]);
  }
  assert.equal(
    expectStatus(await createReport(organizer, { type: 'user', id: guest.id }), 201).body.text,
    '',
  );
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 404 for subjects of any type that do not exist or that the caller cannot see', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const item = await createItem(api, organizer, draft.id);
  const event = await createEvent(api, organizer);
  const deleted = await createUser(api);
  expectStatus(await deleteAccount(api, deleted), 200);
  const missing: [string, string][] = [
    ['event', draft.id],
    ['item', item.id],
    ['item', `${event.id}.1`],
    ['item', event.id],
    ['event', organizer.id],
    ['user', event.id],
    ['item', '.'.repeat(300)],
    ['user', deleted.id],
    ...['event', 'message', 'user'].flatMap((type) => [
      [type, unknown] as [string, string],
      [type, 'nonsense'] as [string, string],
      [type, 'x'.repeat(300)] as [string, string],
    ]),
  ];
  for (const [type, id] of missing)
    expectProblem(await createReport(guest, { type, id }), 404, 'subject_not_found');
  // Admins can report hidden events and suspended people.
  const suspended = await createUser(api);
  const hiddenEvent = await createEvent(api, suspended);
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}), 200);
  for (const subject of [
    { type: 'user', id: suspended.id },
    { type: 'event', id: hiddenEvent.id },
  ]) {
    expectProblem(await createReport(guest, subject), 404, 'subject_not_found');
    expectStatus(await createReport(admin, subject), 201);
  }
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 201 for a message only by its recipient, and admins can read that message', async () => {
  const [writer, reader, other] = await createUsers(api, 3);
  assert.ok(writer && reader && other);
  const write = async (text: string) =>
    expectStatus(await api.post(`/v1/users/${reader.id}/messages`, writer.token, { text }), 201).body;
  const subject = { type: 'message', id: (await write('Send me your code.')).id };
  await write('Never mind.');
  for (const reporter of [writer, other, admin])
    expectProblem(await createReport(reporter, subject), 404, 'subject_not_found');
  const { body } = expectStatus(await createReport(reader, subject, { reason: 'scam' }), 201);
  const [{ id, about, message }] = (await listReports()).data;
  assert.deepEqual([id, about.id, message.text], [body.id, writer.id, 'Send me your code.']);
  assert.equal((await resolveReport(id)).body.message.text, 'Send me your code.');
  expectStatus(await deleteAccount(api, writer), 200);
  assert.equal((await api.sql`select 1 from reports where id = ${id}`).length, 0);
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 409 for a second report by the same person, also of 10 concurrent requests; 201 for another person', async () => {
  const [organizer, guest, other] = await createUsers(api, 3);
  assert.ok(organizer && guest && other);
  const subject = { type: 'event', id: (await createEvent(api, organizer)).id };
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) => createReport(guest, subject, {}, i % 2 ? api : second)),
  );
  const created = responses.filter(({ status }) => status === 201);
  assert.equal(created.length, 1);
  for (const response of responses.filter(({ status }) => status !== 201))
    expectProblem(response, 409, 'already_reported');
  // The id is compared without case, and a resolved report still counts.
  expectProblem(
    await createReport(guest, { ...subject, id: subject.id.toUpperCase() }),
    409,
    'already_reported',
  );
  expectStatus(await resolveReport(created[0]?.body.id), 200);
  expectProblem(await createReport(guest, subject), 409, 'already_reported');
  expectStatus(await createReport(other, subject), 201);
});

test("report: 400 for the caller and the caller's events, for unknown types and reasons, and above 2,000 characters", async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const event = await createEvent(api, person);
  expectProblem(await createReport(person, { type: 'user', id: person.id }), 400, 'self_relation');
  expectProblem(await createReport(person, { type: 'event', id: event.id }), 400, 'self_relation');
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
    const response = await createReport(other, subject, { [field]: value });
    const { body } = expectProblem(response, 400, 'invalid_request');
    assert.ok(
      body.errors.some((error: { path: string }) => error.path === path),
      JSON.stringify(body.errors),
    );
  }
  expectStatus(await createReport(other, subject, { text: 'x'.repeat(2_000) }), 201);
});

test('report: a replay for the same Idempotency-Key, and 429 above 50 reports in 24 hours, also concurrent ones', async () => {
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
  const responses = await Promise.all(
    ids.slice(1).map((id, i) => createReport(guest, { type: 'event', id }, {}, i % 2 ? api : second)),
  );
  const refused = responses.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 3);
  for (const response of refused) {
    expectProblem(response, 429, 'too_many_requests');
    assert.ok(Number(response.headers.get('retry-after')) > 86_000);
  }
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reports: 200 for admins, newest first, filtered by status, each report once over all pages', async () => {
  const expectedReports = await api.sql<
    { id: string }[]
  >`select id from reports order by created_at desc, id desc`;
  const listedIds: string[] = [];
  let cursor = '';
  do {
    const page = await listReports(`limit=7${cursor && `&cursor=${cursor}`}`, second);
    listedIds.push(...page.data.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(
    listedIds,
    expectedReports.map(({ id }) => id),
  );
  for (const status of ['open', 'resolved']) {
    const { data } = await listReports(`status=${status}&limit=50`);
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
test('resolve: 200 with the note and one audit entry; 404 for an unknown report', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const { body } = expectStatus(await createReport(guest, { type: 'user', id: organizer.id }), 201);
  const done = expectStatus(
    await resolveReport(body.id, { status: 'resolved', note: 'Spoke to them.' }),
    200,
  ).body;
  assert.deepEqual([done.id, done.status, done.note], [body.id, 'resolved', 'Spoke to them.']);
  assert.ok(Math.abs(Date.parse(done.resolvedAt) - Date.now()) < 60_000);
  const again = expectStatus(await resolveReport(body.id), 200).body;
  assert.deepEqual(again, done);
  assert.equal(
    expectStatus(await resolveReport(body.id, { status: 'resolved', note: 'x' }), 200).body.note,
    'x',
  );
  const auditEntries =
    await api.sql`select user_id from audit where what = 'report_resolved' and detail = ${body.id}`;
  assert.deepEqual([...auditEntries], [{ userId: admin.id }]);
  for (const id of [unknown, 'nonsense']) expectProblem(await resolveReport(id), 404, 'report_not_found');
  for (const wrong of [{}, { status: 'lost' }, { status: 'resolved', note: 'x'.repeat(2_001) }])
    expectProblem(await resolveReport(body.id, wrong), 400, 'invalid_request');
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reopen: 200 without the time of the resolution, with the note, and one audit entry', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const { body } = expectStatus(await createReport(guest, { type: 'user', id: organizer.id }), 201);
  expectStatus(await resolveReport(body.id, { status: 'resolved', note: 'Too early.' }), 200);
  for (let i = 0; i < 2; i++) {
    const open = expectStatus(await resolveReport(body.id, { status: 'open' }), 200).body;
    assert.deepEqual([open.status, open.note, open.resolvedAt], ['open', 'Too early.', null]);
  }
  const entries = await api.sql`
    select user_id from audit where what = 'report_reopened' and detail = ${body.id}`;
  assert.deepEqual([...entries], [{ userId: admin.id }]);
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
// spec: 3 GET /v1/admin/reports/:id, GET /v1/admin/overview: handling of reports by admins
test('reports: 200 for one report, and for those about a person; the overview counts the open ones', async () => {
  const [organizer, guest, other] = await createUsers(api, 3);
  assert.ok(organizer && guest && other);
  const overview = async () => expectStatus(await api.get('/v1/admin/overview', admin.token), 200).body;
  const before = await overview();
  const reported = [];
  for (const reporter of [guest, other])
    reported.push(expectStatus(await createReport(reporter, { type: 'user', id: organizer.id }), 201).body);
  const [first, next] = reported;
  const { body } = expectStatus(await api.get(`/v1/admin/reports/${first.id}`, admin.token), 200);
  assert.deepEqual([body.id, body.about.id, body.reporter.id], [first.id, organizer.id, guest.id]);
  const about = await listReports(`aboutId=${organizer.id}`);
  assert.deepEqual(
    about.data.map(({ id }: { id: string }) => id),
    [next.id, first.id],
  );
  for (const id of [unknown, 'nonsense', 'x'.repeat(90)]) {
    for (const about of [id, id.padEnd(300, 'x')])
      assert.deepEqual((await listReports(`aboutId=${about}`)).data, []);
    expectProblem(await api.get(`/v1/admin/reports/${id}`, admin.token), 404, 'report_not_found');
  }
  expectStatus(await resolveReport(first.id), 200);
  expectStatus(await api.post(`/v1/admin/users/${organizer.id}/suspend`, admin.token, {}), 200);
  const after = await overview();
  const spamOf = ({ openReportsByReason }: typeof after) =>
    openReportsByReason.find(({ reason }: { reason: string }) => reason === next.reason)?.count ?? 0;
  assert.equal(spamOf(after), spamOf(before) + 1);
  assert.deepEqual(after, {
    openReports: before.openReports + 1,
    openReportsByReason: after.openReportsByReason,
    oldestReportAt: before.oldestReportAt ?? next.createdAt,
    suspendedAccounts: before.suspendedAccounts + 1,
    newAccounts: before.newAccounts,
    newAccountsBefore: 0,
    accountsByDay: before.accountsByDay,
    nextEvents: before.nextEvents,
    lastEvents: before.lastEvents,
    eventsByDay: before.eventsByDay,
  });
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reports: 200 with those for one reason, and the oldest first over pages', async () => {
  const [organizer, ...reporters] = await createUsers(api, 4);
  assert.ok(organizer);
  const reported: string[] = [];
  for (const reporter of reporters)
    reported.push(
      expectStatus(
        await createReport(reporter, { type: 'user', id: organizer.id }, { reason: 'privacy' }),
        201,
      ).body.id,
    );
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  const query = `aboutId=${organizer.id}&order=oldest&limit=2`;
  const first = await listReports(`${query}&reason=privacy`);
  const second = await listReports(`${query}&reason=privacy&cursor=${first.nextCursor}`);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], reported);
  assert.deepEqual((await listReports(`${query}&reason=hate`)).data, []);
  assert.deepEqual(idsOf(await listReports(`aboutId=${organizer.id}`)), reported.toReversed());
});

// spec: 3 GET /v1/admin/overview: handling of reports by admins
test('overview: 200 with the accounts and public events of this week and of the one before', async () => {
  const overview = async () => expectStatus(await api.get('/v1/admin/overview', admin.token), 200).body;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const before = await overview();
  const people = await createUsers(api, 3);
  const [organizer] = people;
  assert.ok(organizer);
  for (const [i, days] of [-6.9, -7.1, -14.1].entries())
    await api.sql`update users set created_at = ${inDays(days)} where id = ${people[i]?.id ?? ''}`;
  const events: [number, Record<string, unknown>][] = [
    [6.9, {}],
    [7.1, {}],
    [1, { visibility: 'private' }],
    [1, { visibility: 'unlisted' }],
    [-6.9, {}],
    [-7.1, {}],
  ];
  for (const [days, fields] of events) {
    const { id } = await createEvent(api, organizer, fields);
    await api.sql`update events set start_at = ${inDays(days)}, end_at = ${inDays(days + 0.05)} where id = ${id}`;
  }
  const after = await overview();
  const { newAccounts, newAccountsBefore, nextEvents, lastEvents } = after;
  // Days of the charts: 14 days ago is the first one.
  const added = (chart: 'accountsByDay' | 'eventsByDay') =>
    after[chart].flatMap((count: number, day: number) => (count > before[chart][day] ? [day] : []));
  assert.deepEqual([after.accountsByDay.length, added('accountsByDay')], [14, [6, 7]]);
  assert.deepEqual([after.eventsByDay.length, added('eventsByDay')], [14, [0, 13]]);
  assert.deepEqual(
    [newAccounts, newAccountsBefore, nextEvents, lastEvents],
    [before.newAccounts + 1, before.newAccountsBefore + 1, before.nextEvents + 1, before.lastEvents + 1],
  );
});

// spec: 3 GET /v1/admin/reports, PATCH /v1/admin/reports/:id: handling of reports by admins
test('reports: deleting an account deletes the reports by it and about it; deleting an event keeps its reports', async () => {
  const [reportedPerson, otherReporter, other] = await createUsers(api, 3);
  assert.ok(reportedPerson && otherReporter && other);
  const event = await createEvent(api, reportedPerson);
  const text = { text: 'Organized by Mr Quux' };
  expectStatus(await createReport(otherReporter, { type: 'event', id: event.id }, text), 201);
  expectStatus(await createReport(otherReporter, { type: 'user', id: reportedPerson.id }, text), 201);
  expectStatus(await createReport(reportedPerson, { type: 'user', id: otherReporter.id }, text), 201);
  expectStatus(
    await createReport(other, { type: 'user', id: otherReporter.id }, { text: 'Of Quux too' }),
    201,
  );
  // Deleting the reported event does not delete the report.
  expectStatus(await api.delete(`/v1/events/${event.id}`, reportedPerson.token), 200);
  assert.equal((await api.sql`select 1 from reports where subject_id = ${event.id}`).length, 1);
  expectStatus(await deleteAccount(api, reportedPerson), 200);
  const remaining = await findRowsContaining(api.sql, [reportedPerson.id, event.id, 'Mr Quux']);
  assert.deepEqual(remaining, []);
  expectStatus(await deleteAccount(api, otherReporter), 200);
  assert.deepEqual(await findRowsContaining(api.sql, [otherReporter.id, 'Quux']), []);
});

test('reports: no 5xx and no remaining rows when two people who reported each other delete their accounts at once', async () => {
  for (let round = 0; round < often(5); round++) {
    const [a, b] = await createUsers(api, 2);
    assert.ok(a && b);
    const responses = await Promise.all([
      createReport(a, { type: 'user', id: b.id }),
      createReport(b, { type: 'user', id: a.id }, {}, second),
    ]);
    for (const response of responses) expectStatus(response, 201);
    const third = await createUser(api);
    const [x, y, late] = await Promise.all([
      deleteAccount(api, a),
      deleteAccount(second, b),
      createReport(third, { type: 'user', id: a.id }, {}, second),
    ]);
    for (const response of [x, y]) expectStatus(response, 200);
    assert.ok([201, 404].includes(late.status), `${late.status}`);
    assert.deepEqual(await findRowsContaining(api.sql, [a.id, b.id]), []);
  }
});
