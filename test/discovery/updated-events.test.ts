/** Copies of the public events: the list by change, its tombstones, and what a copy misses when transactions overlap. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteExpiredTombstones } from '../../src/modules/events/tombstones.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { createAdmin, createEvent, createUser, deleteAccount, type Person } from '../support/factories.ts';
import { openGatedDatabase } from '../support/gated-database.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp, TestClock } from '../support/setup.ts';

const api = await startTestApp();
const admin = await createAdmin(api);
const organizer = await createUser(api);

type Listed = { id: string; title: string; updatedAt: string };
type Tombstone = { id: string; reason: string; at: string };
type Copy = { data: Listed[]; tombstones: Tombstone[]; totals: number[]; syncedAt: string };

/** Reads all pages. */
async function sync(since?: string, { token, on = api, limit = 50 }: Reading = {}): Promise<Copy> {
  const path = `/v1/events?limit=${limit}&${since ? `updatedSince=${since}` : 'order=updated'}`;
  const copy: Copy = { data: [], tombstones: [], totals: [], syncedAt: '' };
  for (let cursor = ''; ; ) {
    const { body } = expectStatus(await on.get(`${path}${cursor}`, token), 200);
    assert.ok(body.data.length + body.sync.tombstones.length <= limit);
    copy.data.push(...body.data);
    copy.tombstones.push(...body.sync.tombstones);
    copy.totals.push(body.meta.total);
    // One of them is null: a copy that stops early has no time to go on from.
    assert.equal(body.sync.nextCursor === null, body.sync.syncedAt !== null);
    if (body.sync.nextCursor === null) return { ...copy, syncedAt: body.sync.syncedAt };
    cursor = `&cursor=${body.sync.nextCursor}`;
  }
}
type Reading = { token?: string; on?: Pick<TestApp, 'get'>; limit?: number };

const idsOf = (list: { id: string }[]): string[] => list.map(({ id }) => id);
/** The reason of the tombstone of an event, `listed` for an event of the copy, and undefined for none of both. */
async function stateOf(id: string, since: string): Promise<string | undefined> {
  const { data, tombstones } = await sync(since);
  const found = [...data.filter((event) => event.id === id).map(() => 'listed')];
  found.push(...tombstones.filter((one) => one.id === id).map(({ reason }) => reason));
  assert.ok(found.length <= 1, `${found}`);
  return found[0];
}

/** A time after the last change of an event, and before the next. */
async function afterLastChange(id: string): Promise<string> {
  const { updatedAt } = expectStatus(await api.get(`/v1/events/${id}`), 200).body;
  await sleep(2);
  return new Date(Date.parse(updatedAt) + 1).toISOString();
}

const change = async (id: string, fields: object, person: Person = organizer) =>
  expectStatus(await api.patch(`/v1/events/${id}`, person.token, fields), 200).body;
const hide = async (id: string) =>
  expectStatus(
    await api.call('PUT', `/v1/admin/events/${id}/hidden`, { token: admin.token, body: { reason: 'spam' } }),
    200,
  );
const show = async (id: string) =>
  expectStatus(await api.delete(`/v1/admin/events/${id}/hidden`, admin.token), 200);
const remove = async (id: string) => expectStatus(await api.delete(`/v1/events/${id}`, organizer.token), 200);
const suspend = async (person: Person) =>
  expectStatus(await api.post(`/v1/admin/users/${person.id}/suspend`, admin.token, {}), 200);

// spec: 4.9 GET /v1/events: `order=updated`, `updatedSince`
test('copy: pages of all public events by change, past ones too, each once, then only what changed since', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await createEvent(api, organizer, { title: `Event ${i}` })).id);
  const past = { startAt: '2020-01-01T10:00:00Z', endAt: '2020-01-01T12:00:00Z' };
  ids.push((await createEvent(api, organizer, past)).id);
  await createEvent(api, organizer, { visibility: 'unlisted' });
  const first = await sync(undefined, { limit: 4 });
  assert.deepEqual(idsOf(first.data), ids);
  assert.deepEqual([first.tombstones, first.totals], [[], [6, 6]]);

  const later = `${(await change(`${ids[2]}`, { title: 'Changed' })).updatedAt}`;
  const { data, tombstones, totals } = await sync(later);
  assert.deepEqual(idsOf(data), [ids[2]]);
  assert.deepEqual([data[0]?.title, data[0]?.updatedAt], ['Changed', later]);
  assert.deepEqual([tombstones, totals], [[], [1]]);
  // What is repeated are the changes of the last seconds.
  const again = await sync(first.syncedAt);
  assert.ok(again.syncedAt >= first.syncedAt && idsOf(again.data).includes(`${ids[2]}`));
});

test('copy: an event that moves to the end while pages are read is not skipped, and none is hidden behind it', async () => {
  const { data: all } = await sync();
  const path = '/v1/events?order=updated&limit=2';
  const { body: page } = expectStatus(await api.get(path), 200);
  await change(page.data[0].id, { title: 'Moved to the end' });
  const { body: next } = expectStatus(await api.get(`${path}&cursor=${page.sync.nextCursor}`), 200);
  assert.deepEqual(idsOf(next.data), idsOf(all.slice(2, 4)));
});

// spec: 4.9 GET /v1/events: tombstones
test('tombstones: deleted, cancelled and hidden events have one until lists show them again', async () => {
  const { id } = await createEvent(api, organizer);
  const { syncedAt } = await sync();
  const expectState = async (expected: string) => assert.equal(await stateOf(id, syncedAt), expected);
  await expectState('listed');
  await change(id, { status: 'cancelled' });
  await expectState('cancelled');
  await hide(id);
  await expectState('hidden');
  await show(id);
  await expectState('cancelled');
  await change(id, { status: 'scheduled' });
  await expectState('listed');
  const justAfter = await afterLastChange(id);
  await hide(id);
  await expectState('hidden');
  await show(id);
  assert.equal(await stateOf(id, justAfter), 'listed', 'it is shown again by a change');
  await change(id, { visibility: 'private' });
  await expectState('deleted');
  await change(id, { visibility: 'public' });
  await expectState('listed');
  await remove(id);
  await expectState('deleted');
});

test('tombstones: a stranger cannot tell a withdrawn event from a deleted one, also when it is hidden', async () => {
  const events = await Promise.all(Array.from({ length: 4 }, () => createEvent(api, organizer)));
  const [removed = '', unlisted = '', draft = '', hidden = ''] = idsOf(events);
  const { syncedAt } = await sync();
  await remove(removed);
  await change(unlisted, { visibility: 'unlisted' });
  await change(draft, { visibility: 'private' });
  await change(hidden, { visibility: 'private' });
  await hide(hidden);
  const read = async () => {
    const { tombstones } = await sync(syncedAt);
    return [removed, unlisted, draft, hidden].map((id) => tombstones.find((one) => one.id === id));
  };
  const before = await read();
  assert.deepEqual(
    before.map((one) => one?.reason),
    ['deleted', 'deleted', 'deleted', 'deleted'],
  );
  for (const tombstone of before)
    assert.deepEqual(Object.keys(tombstone ?? {}), ['id', 'reason', 'at'], 'nothing else of the event');
  // Still a 404 for strangers, so the tombstone must not change.
  await change(hidden, { visibility: 'public' });
  await remove(draft);
  assert.deepEqual(await read(), before);
});

test('tombstones: an event that lists never showed gets no tombstone when it is cancelled, hidden or deleted', async () => {
  const { syncedAt } = await sync();
  const { id } = await createEvent(api, organizer, { visibility: 'unlisted' });
  await change(id, { status: 'cancelled' });
  await change(id, { visibility: 'public' });
  assert.equal(await stateOf(id, syncedAt), undefined);
  await change(id, { visibility: 'private' });
  await hide(id);
  await remove(id);
  assert.equal(await stateOf(id, syncedAt), undefined);
});

test('tombstones: those of a suspended organizer are hidden, and gone when the account is restored', async () => {
  const person = await createUser(api);
  const { id } = await createEvent(api, person);
  const { id: cancelled } = await createEvent(api, person);
  await change(cancelled, { status: 'cancelled' }, person);
  const { syncedAt } = await sync();
  const justAfter = await afterLastChange(id);
  await suspend(person);
  assert.deepEqual([await stateOf(id, syncedAt), await stateOf(cancelled, syncedAt)], ['hidden', 'hidden']);
  expectStatus(await api.delete(`/v1/admin/users/${person.id}/suspend`, admin.token), 200);
  assert.deepEqual(
    [await stateOf(id, justAfter), await stateOf(cancelled, justAfter)],
    ['listed', 'cancelled'],
  );
});

test('tombstones: after the deletion of an account, they have the ids of its events, the time and nothing else', async () => {
  const person = await createUser(api);
  const [{ id }, { id: draft }] = await Promise.all([
    createEvent(api, person),
    createEvent(api, person, { visibility: 'private' }),
  ]);
  const { syncedAt } = await sync();
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual([await stateOf(id, syncedAt), await stateOf(draft, syncedAt)], ['deleted', undefined]);
  const [row] = await api.sql`select * from event_tombstones where event_id = ${id}`;
  assert.deepEqual(Object.keys(row ?? {}).sort(), ['at', 'eventId', 'reason']);
});

test('copy: with a token, events of blocked people are left out, and elements have the own fields of the caller', async () => {
  const [viewer, blocked] = [await createUser(api), await createUser(api)];
  const { syncedAt } = await sync();
  const [own, other] = [await createEvent(api, viewer), await createEvent(api, blocked)];
  expectStatus(await api.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);
  expectStatus(await api.post(`/v1/events/${own.id}/save`, viewer.token, { saved: true }), 200);
  const { body } = expectStatus(
    await api.get(`/v1/events?updatedSince=${syncedAt}&limit=50`, viewer.token),
    200,
  );
  const found = body.data.find(({ id }: Listed) => id === own.id);
  assert.deepEqual([found.isSaved, found.myRsvp], [true, null]);
  assert.ok(!idsOf(body.data).includes(other.id) && idsOf((await sync(syncedAt)).data).includes(other.id));
});

// spec: 4.9 GET /v1/events: 410 `updated_since_too_old`
test('copy: 410 above 30 days, and tombstones are kept for longer', async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const { id } = await createEvent(api, organizer);
  await remove(id);
  await api.sql`update event_tombstones set at = ${daysAgo(29.9)} where event_id = ${id}`;
  await deleteExpiredTombstones(api.sql, new Date());
  assert.equal(await stateOf(id, daysAgo(29.95).toISOString()), 'deleted');
  const path = `/v1/events?updatedSince=${daysAgo(30.1).toISOString()}`;
  expectProblem(await api.get(path), 410, 'updated_since_too_old');
  await deleteExpiredTombstones(api.sql, new Date(Date.now() + 2 * 86_400_000));
  assert.equal(await stateOf(id, daysAgo(29.95).toISOString()), undefined);
});

test('copy: 400 for filters, another order, numbered pages and cursors of other lists, named by the parameter', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const refused: Record<string, string> = {
    [`updatedSince=${today}&q=jazz`]: 'q',
    'order=updated&dateFrom=2026-01-01': 'dateFrom',
    'order=updated&lat=1&lng=1': 'lat',
    'order=updated&isFree=true': 'isFree',
    'order=updated&page=2': 'page',
    [`updatedSince=${today}&order=start`]: 'order',
    'updatedSince=yesterday': 'updatedSince',
    'order=updated&cursor=abc': 'cursor',
    'cursor=abc': 'cursor',
  };
  for (const [query, field] of Object.entries(refused)) {
    const { body } = expectProblem(await api.get(`/v1/events?${query}`), 400, 'invalid_request');
    assert.deepEqual([query, body.errors[0].path], [query, field]);
  }
  expectStatus(await api.get(`/v1/events?updatedSince=${today}&q=&isFree=false&page=1&category=`), 200);
});

test('copy: a transaction that began before a copy and commits after it is part of the next one, on another server whose clock is behind', async () => {
  const { id } = await createEvent(api, organizer);
  const clock = new TestClock();
  clock.advance(-3_600_000);
  const writer = await api.startAnother({ clock });
  const gated = openGatedDatabase(api.target);
  const reader = await api.startAnother({ sql: gated.sql });
  const lock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<Awaited<ReturnType<typeof connectionOf>>>();
  const blocking = api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${id} for update`;
    locked.resolve(await connectionOf(tx));
    await lock.promise;
  });
  const written = writer.patch(`/v1/events/${id}`, organizer.token, { title: 'Late' });
  await untilBlockedBy(api.sql, await locked.promise);
  // Longer than the margin by which a settled time lies before the transactions that still run.
  await sleep(2_300);
  const read = gated.holdNextRead(/event_tombstones/);
  const copying = sync(new Date(Date.now() - 1_000).toISOString(), { on: reader });
  await read.isRead;
  lock.resolve();
  await blocking;
  const { updatedAt } = expectStatus(await written, 200).body;
  read.open();
  const copy = await copying;
  assert.ok(!idsOf(copy.data).includes(id), 'the copy was read before the commit');
  const next = await sync(copy.syncedAt, { on: reader });
  assert.equal(next.data.find((event) => event.id === id)?.title, 'Late');
  assert.ok(copy.syncedAt <= updatedAt);
});
