/** Compares cached event lists with the database, while events change on two servers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredChanges } from '#fresh-records';
import { often } from '../support/all-cases.ts';
import { createAdmin, createEvent, createUser, deleteAccount, type Person } from '../support/factories.ts';
import { randomOf } from '../support/random.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const servers = [api, await api.startAnother()] as const;
const [viewer, blocked, ...others] = await Promise.all(Array.from({ length: 4 }, () => createUser(api)));
assert.ok(viewer && blocked);
const organizers = [blocked, ...others];
expectStatus(await api.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);

// A fixed seed makes every run the same.
const { next: roll, pick } = randomOf(20_261_121);

const day = 86_400_000;
const base = Date.UTC(2041, 5, 1);
const randomTime = () => base + Math.floor(roll() * 60) * (day / 6);

const fields = () => {
  const startAt = randomTime();
  return {
    title: pick(['Jazz at home', 'A quiet evening', 'Jazzy brunch', 'Cards']),
    description: pick(['', 'With jazz', 'Bring a jazz record and a cake']),
    startAt: new Date(startAt).toISOString(),
    endAt: new Date(startAt + pick([1, 5, 30, 24 * 9, 24 * 360]) * (day / 24)).toISOString(),
    location: {
      address: pick(['Jazz street', 'Harbour']),
      lat: 50 + roll(),
      lng: pick([8, 8.5, 60]) + roll(),
    },
    category: pick(['music', 'food', 'games']),
    visibility: pick(['public', 'public', 'public', 'unlisted', 'private']),
  };
};

const admin = await createAdmin(api);
/** An organizer who is suspended and restored repeatedly; an admin changes the events of this organizer. */
const suspendable = await createUser(api);
let isSuspended = false;

async function toggleSuspension(server: TestApp): Promise<void> {
  const path = `/v1/admin/users/${suspendable.id}/suspend`;
  const method = isSuspended ? 'DELETE' : 'POST';
  const body = isSuspended ? undefined : {};
  expectStatus(await server.call(method, path, { token: admin.token, body }), 200);
  isSuspended = !isSuspended;
}

/** Sends one random write; about two of three writes change existing events. */
async function write(server: TestApp, events: { id: string; organizer: Person }[]): Promise<void> {
  if (roll() < 0.1) return toggleSuspension(server);
  const kind = roll();
  const chosen = events.length > 0 ? pick(events) : null;
  if (!chosen || kind < 0.35) {
    const organizer = pick(organizers);
    const { id } = await createEvent(server, organizer, fields());
    events.push({ id, organizer });
  } else if (kind < 0.9) {
    const { title, startAt, endAt, location, category, visibility } = fields();
    const change = pick([
      { title },
      { startAt, endAt },
      { location },
      { category },
      { visibility },
      { status: pick(['scheduled', 'cancelled']) },
    ]);
    expectStatus(await server.patch(`/v1/events/${chosen.id}`, chosen.organizer.token, change), 200);
  } else {
    expectStatus(await server.delete(`/v1/events/${chosen.id}`, chosen.organizer.token), 200);
    events.splice(events.indexOf(chosen), 1);
  }
}

type ListQuery = {
  q?: string;
  category?: string;
  near?: { lat: number; lng: number; radius: number };
  from: Date | null;
  until: Date | null;
  relevance: boolean;
  requireCaller: boolean;
  page: number;
  limit: number;
};

function randomQuery(): ListQuery {
  const [from, span] = [randomTime(), pick([0, 1, 3, 20]) * day];
  const relevance = roll() < 0.3;
  return {
    ...((relevance || roll() < 0.4) && { q: pick(['jazz', 'jazzy', 'ja', 'jazz harbour', 'cards']) }),
    ...(!relevance && roll() < 0.3 && { category: pick(['music', 'food']) }),
    ...(!relevance && roll() < 0.4 && { near: pick(circles) }),
    from: !relevance && roll() < 0.7 ? new Date(from) : null,
    until: !relevance && roll() < 0.5 ? new Date(from + span) : null,
    relevance,
    requireCaller: roll() < 0.5,
    page: pick([1, 1, 2, 5]),
    limit: pick([3, 10, 50]),
  };
}
const circles = [
  { lat: 50.5, lng: 8.5, radius: 40 },
  { lat: 50.5, lng: 8.9, radius: 100 },
  { lat: 50, lng: 30, radius: 2_000 },
  { lat: -20, lng: 30, radius: 20_038 },
];

async function requestList(server: TestApp, query: ListQuery): Promise<{ ids: string[]; total: number }> {
  const { q, category, near, from, until, relevance, page, limit } = query;
  const dates = { dateFrom: from?.toISOString(), dateTo: until?.toISOString() };
  const fields = { q, category, ...near, ...dates, page, limit };
  const parameters = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  const path = `/v1/events${relevance ? '/search' : ''}?${new URLSearchParams(parameters)}`;
  const { body } = expectStatus(await server.get(path, query.requireCaller ? viewer?.token : undefined), 200);
  return { ids: body.data.map((event: { id: string }) => event.id), total: body.meta.total };
}

type Row = {
  id: string;
  organizerId: string;
  title: string;
  address: string;
  description: string;
  category: string;
  startAt: Date;
  endAt: Date;
  lat: number;
  lng: number;
};

/** Computes the expected list from all rows, without code, functions or columns of the server that serve lists. */
async function expectedList(query: ListQuery): Promise<{ ids: string[]; total: number }> {
  const { q, category, near, from, until, relevance, requireCaller, page, limit } = query;
  // Citus joins no tables that are distributed by different columns.
  const people = await api.sql<{ id: string }[]>`select id from users where suspended_at is null`;
  const visible = new Set(people.map(({ id }) => id));
  const events = await api.sql<Row[]>`
    select id, organizer_id, title, address, description, category, start_at, end_at, lat, lng
    from events where visibility = 'public' and status = 'scheduled'`;
  const rows = events.filter(({ organizerId }) => visible.has(organizerId));
  const after = from ?? (until ? new Date(0) : api.clock.now());
  const matches = rows.filter((row) => {
    if (row.endAt <= after || (until && row.startAt > until)) return false;
    if (category && row.category !== category) return false;
    if (near && haversineKm(near, row) > near.radius) return false;
    if (q !== undefined && gradeOf(row, q) === null) return false;
    return !(requireCaller && row.organizerId === blocked?.id);
  });
  const grade = (row: Row) => (relevance && q !== undefined ? (gradeOf(row, q) ?? 0) : 0);
  matches.sort(
    (a, b) => grade(a) - grade(b) || Number(a.startAt) - Number(b.startAt) || (a.id < b.id ? -1 : 1),
  );
  const ids = matches.map(({ id }) => id);
  return { ids: ids.slice((page - 1) * limit, page * limit), total: ids.length };
}

/** The texts of this file have only letters of ASCII. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** 1: all words are words of the title; 2: all begin words of it; 3: of title or address; 4: of any text; null: no match. */
function gradeOf({ title, address, description }: Row, q: string): 1 | 2 | 3 | 4 | null {
  const beginWordsOf = (...texts: string[]) =>
    wordsOf(q).every((start) => wordsOf(texts.join(' ')).some((word) => word.startsWith(start)));
  if (wordsOf(q).every((word) => wordsOf(title).includes(word))) return 1;
  if (beginWordsOf(title)) return 2;
  if (beginWordsOf(title, address)) return 3;
  return beginWordsOf(title, address, description) ? 4 : null;
}

function haversineKm(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const radians = (degrees: number) => (degrees / 180) * Math.PI;
  const half = (x: number, y: number) => Math.sin(radians(x - y) / 2) ** 2;
  const h = half(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * half(a.lng, b.lng);
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(h)));
}

const events: { id: string; organizer: Person }[] = [];

test('list: after every write, the next list from the other server equals the list from the database', async () => {
  const queries = Array.from({ length: 60 }, randomQuery);
  for (let i = 0; i < 12; i++)
    events.push({ id: (await createEvent(api, suspendable, fields())).id, organizer: admin });
  for (let step = 0; step < often(150, 30); step++) {
    const [writer, reader] = step % 2 === 0 ? servers : [servers[1], servers[0]];
    await write(writer, events);
    for (const query of [pick(queries), pick(queries), pick(queries)]) {
      assert.deepEqual(await requestList(reader, query), await expectedList(query), JSON.stringify(query));
    }
  }
  for (const query of queries.slice(0, often(60, 12))) {
    const expected = await expectedList(query);
    for (const server of servers) assert.deepEqual(await requestList(server, query), expected);
  }
});

test('list: an acknowledged event is in the lists of the other server during concurrent writes and reads', async () => {
  const organizer = organizers[1];
  assert.ok(organizer);
  const createAndList = async (n: number) => {
    const [writer, reader] = n % 2 === 0 ? servers : [servers[1], servers[0]];
    const startAt = base + 200 * day + (n % 5) * day;
    const { id } = await createEvent(writer, organizer, {
      title: 'A crowded day',
      startAt: new Date(startAt).toISOString(),
      endAt: new Date(startAt + day / 24).toISOString(),
    });
    const dates = { dateFrom: new Date(startAt).toISOString(), dateTo: new Date(startAt).toISOString() };
    const filters: Record<string, string>[] = [
      {},
      { q: 'crowded' },
      { category: 'food' },
      { lat: '59.9', lng: '10.7' },
    ];
    for (const filter of filters) {
      const path = `/v1/events?${new URLSearchParams({ ...dates, ...filter, limit: '50' })}`;
      const { body } = expectStatus(await reader.get(path), 200);
      assert.ok(
        body.data.some((event: { id: string }) => event.id === id),
        JSON.stringify(filter),
      );
    }
  };
  await Promise.all(Array.from({ length: often(40, 10) }, (_, n) => createAndList(n)));
  const page = { from: new Date(base + 200 * day), until: null, relevance: false, requireCaller: false };
  const query = { ...page, page: 1, limit: 50 };
  for (const server of servers) assert.deepEqual(await requestList(server, query), await expectedList(query));
});

test('list: a server that missed expired changes rebuilds its cached lists', async () => {
  const [writer, reader] = servers;
  const query: ListQuery = {
    from: null,
    until: null,
    relevance: false,
    requireCaller: false,
    page: 1,
    limit: 50,
  };
  const near = { ...query, near: circles[0] as ListQuery['near'] & object };
  await requestList(reader, query);
  await requestList(reader, near);
  for (let i = 0; i < 5; i++) await write(writer, events);
  await api.sql`update changes set at = now() - interval '2 hours'`;
  await deleteExpiredChanges(api.sql);
  assert.equal((await api.sql`select from changes`).length, 0);
  await write(writer, events);
  for (const each of [query, near])
    assert.deepEqual(await requestList(reader, each), await expectedList(each));
});

test('list: the events of a deleted account are immediately absent from the lists of the other server', async () => {
  const [writer, reader] = servers;
  const organizer = await createUser(writer);
  const startAt = base + 3_000 * day;
  const times = { startAt: new Date(startAt).toISOString(), endAt: new Date(startAt + day).toISOString() };
  for (let i = 0; i < 3; i++) await createEvent(writer, organizer, { title: 'Farewell dinner', ...times });
  const from = new Date(startAt);
  const queries: ListQuery[] = [{ q: 'farewell' }, { category: 'food' }, {}].map((filter) => ({
    ...filter,
    from,
    until: from,
    relevance: false,
    requireCaller: false,
    page: 1,
    limit: 50,
  }));
  for (const query of queries) assert.equal((await requestList(reader, query)).total, 3);
  expectStatus(await deleteAccount(writer, organizer), 200);
  for (const query of queries) assert.deepEqual(await requestList(reader, query), { ids: [], total: 0 });
});
