/** "I'm going" and "Can't go" on the pages: one press is several requests to the API, of which each can fail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createClient, getEvent } from '@potluck/client';
import { giveAnswer, PartlyDone, takeAnswerBack } from '../../web/src/lib/event/guests/server/give-answer.ts';
import { createEvent, createUser, createUsers } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const going = { rsvp: 'going', people: 2, waitlist: false } as const;

/** A client of the API. @param fails requests that get a 503 in place of their response */
const clientOf = ({ token }: { token: string }, fails = (_request: Request) => false) =>
  createClient({
    baseUrl: api.url,
    headers: { authorization: `Bearer ${token}` },
    retry: { attempts: 1 },
    fetch: async (request) => (fails(request) ? new Response(null, { status: 503 }) : fetch(request)),
  });

async function newSeats(capacity: number) {
  const host = await createUser(api);
  const { id } = await createEvent(api, host, { capacity });
  const stateOf = async (person: { token: string }) => {
    const { data } = await getEvent({ client: clientOf(person), path: { id } });
    const { myRsvp, myExtraGuests, bookedCount, partyCount } = data;
    return { myRsvp, myExtraGuests, bookedCount, partyCount, seats: data.myBooking?.seats ?? null };
  };
  return { id, stateOf };
}

const bothHold = { myRsvp: 'going', myExtraGuests: 1, bookedCount: 2, partyCount: 2, seats: 2 };
const nothing = { myRsvp: null, myExtraGuests: 0, bookedCount: 0, partyCount: 0, seats: null };
const isPartly = (code: PartlyDone['code']) => (error: unknown) =>
  error instanceof PartlyDone && error.code === code;

test('answer: "going" takes the seats and sets the RSVP, once for two presses at the same time', async () => {
  const { id, stateOf } = await newSeats(2);
  const guest = await createUser(api);
  await Promise.all([1, 2].map(() => giveAnswer(clientOf(guest), id, going)));
  assert.deepEqual(await stateOf(guest), bothHold);
});

test('answer: where the RSVP fails, the seats stay, and the next press sets the RSVP', async () => {
  const { id, stateOf } = await newSeats(2);
  const guest = await createUser(api);
  const client = clientOf(guest, ({ url }) => url.endsWith('/rsvp'));
  await assert.rejects(giveAnswer(client, id, going), isPartly('seats_without_rsvp'));
  assert.deepEqual(await stateOf(guest), { ...bothHold, myRsvp: null, myExtraGuests: 0, partyCount: 0 });
  await giveAnswer(clientOf(guest), id, going);
  assert.deepEqual(await stateOf(guest), bothHold);
});

test('answer: without a free seat, nothing changes; with the waitlist, the RSVP is "interested" until the seats are free', async () => {
  const { id, stateOf } = await newSeats(2);
  const [first, second] = await createUsers(api, 2);
  assert.ok(first && second);
  await giveAnswer(clientOf(first), id, going);
  await assert.rejects(giveAnswer(clientOf(second), id, going), { code: 'no_seats' });
  assert.equal((await stateOf(second)).myRsvp, null);
  await giveAnswer(clientOf(second), id, { ...going, waitlist: true });
  assert.deepEqual(await stateOf(second), {
    ...nothing,
    myRsvp: 'interested',
    bookedCount: 2,
    partyCount: 2,
  });
  await takeAnswerBack(clientOf(first), id);
  assert.deepEqual(await stateOf(first), { ...nothing, bookedCount: 2 });
  assert.equal((await stateOf(second)).seats, 2);
});

test('answer: "interested" and "can\'t go" give the seats back; where that fails, the next press does it', async () => {
  const { id, stateOf } = await newSeats(2);
  const guest = await createUser(api);
  await giveAnswer(clientOf(guest), id, going);
  const client = clientOf(guest, ({ method }) => method === 'DELETE');
  await assert.rejects(takeAnswerBack(client, id), isPartly('seats_kept'));
  assert.equal((await stateOf(guest)).seats, 2);
  await takeAnswerBack(clientOf(guest), id);
  assert.deepEqual(await stateOf(guest), nothing);
  await giveAnswer(clientOf(guest), id, going);
  await giveAnswer(clientOf(guest), id, { ...going, rsvp: 'interested' });
  assert.deepEqual(await stateOf(guest), { ...nothing, myRsvp: 'interested', myExtraGuests: 1 });
});
