import assert from 'node:assert/strict';
import test from 'node:test';
import { raw } from '#pg';
import { DemoData, demoData } from '../../src/cli/demo/data.ts';
import { planDemo } from '../../src/cli/demo/plan.ts';
import { writeDemo } from '../../src/cli/demo/write-demo.ts';
import { createBodyValidator } from '../../src/http/validation.ts';
import { demoPhones } from '../../src/lib/demo-phones.ts';
import { categorySlugs, templateSlugs } from '../../src/modules/events/catalogue.ts';
import { NewEvent } from '../../src/modules/events/schemas.ts';
import { NewItem } from '../../src/modules/items/schemas.ts';
import { command } from '../support/command.ts';
import { createUser, deleteAccount, signIn } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql, type SqlDatabase } from '../support/sql-tag.ts';
import { cloneDatabase } from '../support/test-database.ts';

const api = await startTestApp();
const added = await writeDemo(api.sql);
const [admin, organizer, guest] = await Promise.all(demoPhones.map(({ phone }) => signIn(api, phone)));
assert.ok(admin && organizer && guest);
const dayMs = 86_400_000;
const { people } = demoData;

type Listed = {
  id: string;
  title: string;
  startAt: string;
  timezone: string;
  price: number;
  isPriceKnown: boolean;
  category: { slug: string };
  goingCount: number;
  partyCount: number;
  myRsvp?: string | null;
  isSaved?: boolean;
};

async function listAll(token?: string): Promise<Listed[]> {
  const events: Listed[] = [];
  for (let page = 1; ; page++) {
    const near = 'lat=57.7072&lng=11.9668&radius=20';
    const { body } = expectStatus(await api.get(`/v1/events?${near}&limit=50&page=${page}`, token), 200);
    events.push(...body.data);
    if (events.length === body.meta.total) return events;
  }
}

async function rowCounts(sql: SqlDatabase) {
  const tables = [
    'users',
    'events',
    'items',
    'rsvps',
    'saves',
    'claims',
    'relations',
    'contacts',
    'usernames',
    'messages',
  ];
  const counts = tables.map(async (name) => {
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from ${raw(name)}`;
    return [name, row.count];
  });
  return Object.fromEntries(await Promise.all(counts));
}

test('demo: every counter equals the rows it counts', async () => {
  assert.ok(added);
  await assertCounters(api.sql);
  const counts = await rowCounts(api.sql);
  const { users, events, items, rsvps, claims } = counts;
  assert.deepEqual(added, { people: users, events, items, rsvps, claims });
});

test('demo: at least 100 listed events in one city within 58 days, starting between 6:00 and 23:59 local time', async () => {
  const events = await listAll();
  assert.ok(events.length >= 100, `${events.length}`);
  const hours = new Set<number>();
  for (const { startAt, timezone } of events) {
    const ahead = (Date.parse(startAt) - Date.now()) / dayMs;
    assert.ok(ahead > 0 && ahead < 58, startAt);
    assert.equal(timezone, 'Europe/Stockholm');
    const hour = Temporal.Instant.from(startAt).toZonedDateTimeISO(timezone).hour;
    assert.ok(hour >= 6 && hour <= 23, startAt);
    hours.add(hour);
  }
  assert.ok(hours.size >= 8);
  assert.deepEqual(
    [...new Set(events.map((event) => event.category.slug))].sort(),
    [...categorySlugs].sort(),
  );
  assert.ok(events.some(({ price }) => price === 0) && events.some(({ price }) => price > 0));
  assert.ok(events.every(({ isPriceKnown }) => isPriceKnown));
});

test('demo: one event has bookings and free seats, and one full event has a waitlist', async () => {
  const events = await listAll(guest.token);
  const recordOf = async (title: string) => {
    const id = events.find((event) => event.title === title)?.id;
    return expectStatus(await api.get(`/v1/events/${id}`, guest.token), 200).body;
  };
  const open = await recordOf('Sourdough clinic');
  assert.ok(open.bookedCount > 0 && open.bookedCount < open.capacity);
  assert.equal(open.myBooking.seats, 2);
  const full = await recordOf('Cheese from one litre of milk');
  assert.equal(full.bookedCount, full.capacity);
  assert.deepEqual([full.myBooking, full.myWaitlist.position], [null, 2]);
  const { body } = expectStatus(await api.get(`/v1/events/${full.id}/bookings`, organizer.token), 200);
  assert.equal(body.data.length, 6);
});

test('demo: events of all templates, all visibilities and both statuses', async () => {
  const distinctValues = async (column: string) =>
    (await api.sql<{ value: string }[]>`select distinct ${raw(column)} as value from events order by 1`).map(
      ({ value }) => value,
    );
  assert.deepEqual(await distinctValues('template'), [...templateSlugs].sort());
  assert.deepEqual(await distinctValues('visibility'), ['private', 'public', 'unlisted']);
  assert.deepEqual(await distinctValues('status'), ['cancelled', 'scheduled']);
  const [{ organizers }] = await api.sql<[{ organizers: number }]>`
    select count(distinct organizer_id)::int as organizers from events`;
  assert.ok(organizers >= 10);
});

for (const [role, me] of [
  ['admin', admin],
  ['organizer', organizer],
  ['guest', guest],
] as const) {
  test(`demo: the ${role} has RSVPs, saved events, claims, followers and search results`, async () => {
    const { body: account } = expectStatus(await api.get('/v1/auth/me', me.token), 200);
    assert.equal(account.role, role === 'admin' ? 'admin' : 'user');
    assert.ok(account.followersCount > 0 && account.followingCount > 0 && account.bio && account.city);
    const events = await listAll(me.token);
    const going = events.filter((event) => event.myRsvp === 'going');
    assert.ok(going.length >= 10);
    assert.ok(events.some((event) => event.myRsvp === 'interested'));
    assert.ok(events.some((event) => event.isSaved));
    const lists = await Promise.all(going.map(({ id }) => api.get(`/v1/events/${id}/items`, me.token)));
    const items = lists.flatMap(({ body }) => body.data);
    assert.ok(items.filter((item) => item.myClaim).length >= 3);
    assert.ok(
      items.some((item) => item.quantityClaimed < item.quantityNeeded),
      'every item is completely claimed',
    );
    const { body: found } = expectStatus(await api.get('/v1/users/search?q=el', me.token), 200);
    assert.ok(found.data.length >= 2);
  });
}

test('demo: guests and claimants are open to everyone, and some guests bring others', async () => {
  const events = await listAll();
  const listsOf = (tail: string) =>
    Promise.all(
      events.slice(0, 20).map(async ({ id }) => (await api.get(`/v1/events/${id}/${tail}`)).body.data),
    );
  assert.ok((await listsOf('guests')).flat().some(({ extraGuests }) => extraGuests > 0));
  const claims = (await listsOf('items')).flat().flatMap((item) => item.claims);
  assert.ok(claims.some(({ note }) => note) && claims.some(({ note }) => !note));
  assert.ok(events.some(({ goingCount, partyCount }) => partyCount > goingCount));
});

test('demo: the feed and the lists of admin, organizer and guest are not empty', async () => {
  for (const me of [admin, organizer, guest]) {
    const around = ['followers', 'following'].map((list) => `/v1/users/${me.id}/${list}`);
    const events = ['going', 'interested', 'saved'].map((relation) => `/v1/me/events?relation=${relation}`);
    for (const path of ['/v1/feed', '/v1/me/claims', ...around, ...events])
      assert.ok(expectStatus(await api.get(path, me.token), 200).body.data.length > 0, path);
  }
  for (const path of [`/v1/users/${organizer.id}/events`, '/v1/me/events?relation=organizing'])
    assert.ok(expectStatus(await api.get(path, organizer.token), 200).body.data.length > 0, path);
});

test('demo: admin, organizer and guest have conversations; the guest has unread messages', async () => {
  for (const me of [admin, organizer, guest]) {
    const { body } = expectStatus(await api.get('/v1/conversations', me.token), 200);
    assert.ok(body.data.length >= 2);
    const [first] = body.data;
    const { body: messages } = expectStatus(
      await api.get(`/v1/users/${first.user.id}/messages`, me.token),
      200,
    );
    const { recipientId: _, eventId: __, ...newest } = messages.data[0];
    assert.deepEqual(newest, first.lastMessage);
  }
  const { body } = expectStatus(await api.get('/v1/conversations', guest.token), 200);
  assert.deepEqual(
    body.data.map(({ unreadCount }: { unreadCount: number }) => unreadCount),
    [1, 2, 1],
  );
});

test('demo: the organizer has unread notifications of RSVPs to several events', async () => {
  const { body } = expectStatus(await api.get('/v1/notifications?unread=true', organizer.token), 200);
  type Listed = { kind: string; count: number; person: object | null; event: { id: string } };
  const rsvps = (body.data as Listed[]).filter(({ kind }) => kind === 'rsvps');
  assert.ok(new Set(rsvps.map(({ event }) => event.id)).size >= 2);
  assert.ok(rsvps.every(({ count, person }) => count > 0 && person));
});

test('demo: the organizer has at least 10 events, and a draft', async () => {
  const { body } = expectStatus(await api.get(`/v1/users/${organizer.id}`), 200);
  assert.ok(body.eventsCount >= 10);
  const [draft] = await api.sql<{ id: string }[]>`
    select id from events where organizer_id = ${organizer.id} and visibility = 'private'`;
  expectStatus(await api.get(`/v1/events/${draft?.id}`, organizer.token), 200);
  expectProblem(await api.get(`/v1/events/${draft?.id}`, guest.token), 404, 'event_not_found');
});

test('demo: one profile is private, and the guest blocks one person', async () => {
  const [row] = await api.sql<{ elin: string; oskar: string }[]>`
    select (select user_id from contacts where contact = ${people.elin.phone}) as elin,
      (select user_id from contacts where contact = ${people.oskar.phone}) as oskar`;
  assert.ok(row);
  expectProblem(await api.get(`/v1/users/${row.elin}`, guest.token), 403, 'profile_private');
  expectStatus(await api.get(`/v1/users/${row.elin}`, organizer.token), 200);
  expectStatus(await api.get(`/v1/users/${row.elin}`, admin.token), 200);
  assert.equal(expectStatus(await api.get(`/v1/users/${row.oskar}`, guest.token), 200).body.isBlocked, true);
  const [all, visible] = await Promise.all([listAll(organizer.token), listAll(guest.token)]);
  assert.ok(visible.length < all.length, 'the list has the events of the blocked person');
});

test('demo: a second run changes nothing', async () => {
  const before = await rowCounts(api.sql);
  assert.equal(await writeDemo(api.sql), null);
  assert.deepEqual(await rowCounts(api.sql), before);
});

test('demo: of two servers that start concurrently one adds the demo data', async () => {
  const target = await cloneDatabase();
  const pools = [connectSql(target), connectSql(target)];
  try {
    const results = await Promise.all(pools.map((sql) => writeDemo(sql)));
    assert.equal(results.filter((result) => result !== null).length, 1);
    const [sql] = pools;
    assert.ok(sql);
    assert.deepEqual((await rowCounts(sql)).events, added?.events);
    await assertCounters(sql);
  } finally {
    await Promise.all(pools.map((sql) => sql.end()));
  }
});

test('demo: existing accounts and usernames stay unchanged; deleted demo accounts are not added again', async () => {
  const other = await startTestApp();
  const early = await signIn(other, people.jonas.phone);
  const namesake = await createUser(other, { username: people.mara.username });
  assert.ok(await writeDemo(other.sql));
  const { body: me } = expectStatus(await other.get('/v1/auth/me', early.token), 200);
  assert.deepEqual([me.id, me.username, me.bio], [early.id, early.username, '']);
  const { body: same } = expectStatus(await other.get('/v1/auth/me', namesake.token), 200);
  assert.equal(same.username, people.mara.username);
  const mara = await signIn(other, people.mara.phone);
  assert.notEqual(mara.username, people.mara.username);
  // A deleted demo account must not return at the next start.
  for (const account of [early, mara]) expectStatus(await deleteAccount(other, account), 200);
  assert.equal(await writeDemo(other.sql), null);
  await assertCounters(other.sql);
});

test('demo: the JSON files are valid; the schema rejects unknown references', () => {
  const isValid = createBodyValidator().compile(DemoData);
  assert.ok(isValid(structuredClone(demoData)), JSON.stringify(isValid.errors));
  const [list] = Object.values(demoData.itemLists);
  const mistakes = [
    { ...demoData, messages: [{ hoursAgo: 1, from: 'jonas', to: 'a stranger', text: 'Hi' }] },
    { ...demoData, events: [{ ...demoData.events[0], place: 'nowhere' }] },
    { ...demoData, events: [{ ...demoData.events[0], bring: 'noSuchList' }] },
    { ...demoData, itemLists: { ...demoData.itemLists, another: list } },
  ];
  for (const mistake of mistakes) assert.equal(isValid(mistake), false);
});

test('demo: the sign-in accounts are people of the demo data', () => {
  const phones = Object.values(people).map(({ phone }) => phone);
  assert.equal(new Set(phones).size, phones.length);
  for (const { phone } of demoPhones) assert.ok(phones.includes(phone), phone);
});

test('demo: the plan is the same for the same time and passes the validation of the API', () => {
  const now = new Date('2026-10-12T10:00:00Z');
  const plan = planDemo(now);
  assert.deepEqual(plan, planDemo(now));
  const ajv = createBodyValidator();
  const [isEvent, isItem] = [NewEvent, NewItem].map((schema) => ajv.compile(schema));
  for (const { fields, items } of plan.events) {
    const { address, lat, lng, isExact, status, coverUrl, startAt, endAt, ...rest } = fields;
    assert.ok(['scheduled', 'cancelled'].includes(status));
    const times = { startAt: startAt.toISOString(), endAt: endAt.toISOString() };
    const body = { ...rest, ...times, coverUrl, location: { address, lat, lng, isExact } };
    assert.ok(isEvent?.(body), `${fields.title}: ${JSON.stringify(isEvent?.errors)}`);
    for (const item of items) assert.ok(isItem?.(item), `${item.title}: ${JSON.stringify(isItem?.errors)}`);
    assert.ok(fields.description.length >= 60, `${fields.title} has a short description`);
  }
});

test('demo: events keep their local time across the end of daylight saving time', () => {
  // Daylight saving time ends on 25 October 2026.
  const { events } = planDemo(new Date('2026-10-12T10:00:00Z'));
  const starts = events
    .filter(({ fields }) => fields.title.startsWith('Sunday potluck'))
    .map(({ fields }) => fields.startAt.toISOString());
  assert.deepEqual(starts.slice(0, 3), [
    '2026-10-18T14:00:00.000Z',
    '2026-10-25T15:00:00.000Z',
    '2026-11-01T15:00:00.000Z',
  ]);
});

test('demo: dates are computed in the time zone of the events', () => {
  // 23:30 UTC on Saturday is Sunday in Gothenburg: the first Sunday is a week away.
  const { events } = planDemo(new Date('2026-06-06T23:30:00Z'));
  const first = Math.min(...events.map(({ fields }) => fields.startAt.getTime()));
  assert.ok(first > Date.parse('2026-06-07T22:00:00Z'));
});

test('demo: the command prints what it added; a second run prints that nothing was added', async () => {
  const target = await cloneDatabase();
  const first = await command(target, 'demo');
  assert.equal(first.code, 0);
  assert.match(
    first.stdout,
    /^Added 16 people and \d{3} events in Gothenburg.*\n {2}admin {6}\+12025550100\n/,
  );
  assert.deepEqual(await command(target, 'demo'), {
    code: 0,
    stdout: 'The demo people are already here; nothing was added.\n',
    stderr: '',
  });
});
