/** A removal at the same time as a write of the removed person, on two servers, in each order. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { untilWaiting } from '../support/blocked-transactions.ts';
import {
  addAddress,
  createEvent,
  createItem,
  createUser,
  nextAddress,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest, requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import type { SqlTransaction } from '../support/sql-tag.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);

const remove = (event: string, userId: string) =>
  api.delete(`/v1/events/${event}/guests/${userId}`, organizer.token);

/**
 * Sends requests one after the other while a transaction holds a lock: each waits for it, or for a request before it.
 * @param hold takes the lock
 */
async function inOrder(
  hold: (tx: SqlTransaction) => Promise<unknown>,
  ...requests: (() => Promise<ApiResponse>)[]
): Promise<ApiResponse[]> {
  const sent: Promise<ApiResponse>[] = [];
  await api.sql.begin(async (tx) => {
    await hold(tx);
    for (const send of requests) {
      sent.push(send());
      await untilWaiting(api.sql, sent.length);
    }
  });
  return Promise.all(sent);
}
const counters = (event: string) => (tx: SqlTransaction) =>
  tx`select 1 from event_counters where event_id = ${event} for update`;
const stock = (event: string) => (tx: SqlTransaction) =>
  tx`select 1 from item_stock where event_id = ${event} for update`;

async function createFixtures() {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  return { event, item, person };
}
/** What is left at the event after a removal: nothing. */
async function assertNothingLeft(event: string): Promise<void> {
  const { rsvpCount } = expectStatus(await api.get(`/v1/events/${event}`), 200).body;
  const { data } = expectStatus(await api.get(`/v1/events/${event}/items`), 200).body;
  assert.deepEqual([rsvpCount, data[0].quantityClaimed], [0, 0]);
  await assertCounters(api.sql);
}

test('remove: a claim that comes before the removal ends with it; one that comes after is a 403', async () => {
  for (const isFirst of [true, false]) {
    const { event, item, person } = await createFixtures();
    const claim = () => second.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 });
    const removal = () => remove(event.id, person.id);
    const responses = isFirst
      ? await inOrder(stock(event.id), claim, removal)
      : (await inOrder(counters(event.id), removal, claim)).reverse();
    const [claimed, removed] = responses as [ApiResponse, ApiResponse];
    expectStatus(removed, 200);
    if (isFirst) expectStatus(claimed, 201);
    else expectProblem(claimed, 403, 'removed_from_event');
    await assertNothingLeft(event.id);
  }
});

test('remove: an RSVP that comes before the removal ends with it; one that comes after is a 403', async () => {
  for (const isFirst of [true, false]) {
    const { event, person } = await createFixtures();
    const rsvp = () => second.post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'interested' });
    const removal = () => remove(event.id, person.id);
    const order = isFirst ? [rsvp, removal] : [removal, rsvp];
    const responses = await inOrder(counters(event.id), ...order);
    const [answered, removed] = (isFirst ? responses : responses.reverse()) as [ApiResponse, ApiResponse];
    expectStatus(removed, 200);
    if (isFirst) expectStatus(answered, 200);
    else expectProblem(answered, 403, 'removed_from_event');
    await assertNothingLeft(event.id);
  }
});

test('remove: of a removal and a take-over at once, the first happens, and the second is a 404', async () => {
  for (const isTakenFirst of [true, false]) {
    const { event, item } = await createFixtures();
    const email = nextAddress();
    const guest = await answerAsGuest(api, event.id, {
      ...{ email, name: 'Mara', status: 'going' },
      claims: [{ itemId: item.id, quantity: 1 }],
    });
    const person = await createUser(api);
    await addAddress(api, person, email);
    const take = () => second.post(`/v1/me/guests/${guest.user.id}/take-over`, person.token);
    const removal = () => remove(event.id, guest.user.id);
    const order = isTakenFirst ? [take, removal] : [removal, take];
    const [done, refused] = (await inOrder(counters(event.id), ...order)) as [ApiResponse, ApiResponse];
    expectStatus(done, 200);
    expectProblem(refused, 404, 'guest_not_found');
    const { rsvpCount } = expectStatus(await api.get(`/v1/events/${event.id}`), 200).body;
    assert.equal(rsvpCount, isTakenFirst ? 2 : 1);
    await assertCounters(api.sql);
  }
});

test('remove: an answer by code at the same time is a 403, and an account that confirms the contact is refused', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, { email, name: 'Mara', status: 'going' });
  const person = await createUser(api);
  const code = await requestGuestCode(api, event.id, { email });
  const body = { email, code, name: 'Mara', status: 'going', claims: [{ itemId: item.id, quantity: 1 }] };
  const [removed, answered] = (await inOrder(
    counters(event.id),
    () => remove(event.id, guest.user.id),
    () => second.post(`/v1/events/${event.id}/guest-rsvp`, undefined, body),
  )) as [ApiResponse, ApiResponse];
  expectStatus(removed, 200);
  expectProblem(answered, 403, 'removed_from_event');
  await addAddress(second, person, email);
  expectProblem(
    await second.post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'going' }),
    403,
    'removed_from_event',
  );
  await assertNothingLeft(event.id);
});

test('remove: ten at once of one person are one removal, and removals of each other do not deadlock', async () => {
  const { event, person } = await createFixtures();
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      (i % 2 ? api : second).delete(`/v1/events/${event.id}/guests/${person.id}`, organizer.token),
    ),
  );
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, ...Array(9).fill(404)],
  );
  const other = await createEvent(api, person);
  await rsvpGoing(api, organizer, other.id);
  const next = await createEvent(api, organizer);
  await rsvpGoing(api, person, next.id);
  const both = await Promise.all([
    api.delete(`/v1/events/${other.id}/guests/${organizer.id}`, person.token),
    second.delete(`/v1/events/${next.id}/guests/${person.id}`, organizer.token),
  ]);
  for (const response of both) expectStatus(response, 200);
  await assertCounters(api.sql);
});
