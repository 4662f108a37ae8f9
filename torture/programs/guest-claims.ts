import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { type ClientResponse, runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

type Place = { event: string; item: string };
/** `claimed`, or refused because nothing is left. */
type Outcome = 'claimed' | 'refused';

export const guestClaims: Program = {
  name: 'guest-claims',
  expectation:
    '300 people with an account and 300 without one claim 200 pieces over two servers, each code is confirmed on both servers at ' +
    'once, and servers are killed meanwhile: exactly 200 are claimed, each contact is one guest, every counter is exact',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [people, pieces] = [size(300, 40), size(200, 30)];
    const environment = await startEnvironment({ env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });
    const [organizer, ...accounts] = await environment.people(people + 1);
    if (!organizer) throw new Error('no people were created');
    const event = await createEvent(environment, organizer);
    const place = { event, item: await createItem(environment, organizer, event, pieces) };
    await insertGoingRsvps(environment, event, accounts);
    progress('requesting codes');
    const codes = await runConcurrently(people, 16, (i) => requestCode(environment, place, i));
    const state = { isOver: false, kills: 0 };
    const killer = killServers(environment, state);
    progress('claiming');
    const outcomes = await runConcurrently(2 * people, 128, (i) => {
      const n = Math.floor(i / 2);
      return i % 2 === 0
        ? claimAsAccount(environment, place, accounts[n] as Person)
        : claimAsGuest(environment, place, n, codes[n] ?? '');
    }).finally(() => {
      state.isOver = true;
    });
    await killer;
    const [row] = await environment.sql<[{ stock: number; claims: number; guests: number; going: number }]>`
      select claimed as stock,
        (select coalesce(sum(quantity), 0)::int from claims where event_id = ${event}) as claims,
        (select count(*)::int from users where guest_of = ${event}) as guests,
        (select count(*)::int from rsvps where event_id = ${event}) as going
      from item_stock where event_id = ${event}`;
    const counters = await assertCounters(environment.sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 300),
    );
    const claimed = outcomes.filter((outcome) => outcome === 'claimed').length;
    return {
      result:
        `${row.claims} of ${pieces} pieces claimed (stock ${row.stock}, ${claimed} acknowledged), ${row.guests} guests of ${people} ` +
        `contacts, ${row.going} RSVPs; ${state.kills} servers killed; ${counters ?? 'counters are exact'}`,
      ok:
        [row.claims, row.stock, claimed].every((number) => number === pieces) &&
        row.guests === people &&
        row.going === 2 * people &&
        counters === null &&
        state.kills > 0,
    };
  },
};

async function killServers(
  environment: Environment,
  state: { isOver: boolean; kills: number },
): Promise<void> {
  do {
    await sleep(150);
    await environment.replace(0);
    state.kills++;
  } while (!state.isOver);
}

const emailOf = (i: number): string => `guest.${i}@example.org`;
/** Each guest is in a network of its own. */
const headersOf = (i: number) => ({ 'x-forwarded-for': `10.1.${i >> 8}.${i & 255}` });

async function requestCode({ client }: Environment, { event }: Place, i: number): Promise<string> {
  for (;;) {
    const response = await client
      .send('POST', `/v1/events/${event}/guest-code`, { body: { email: emailOf(i) }, headers: headersOf(i) })
      .catch(() => null);
    if (response?.status === 202) return response.body.devCode;
    if (response && response.status !== 503) throw new Error(`no code was sent: ${response.status}`);
    await sleep(20);
  }
}

async function claimAsAccount({ client }: Environment, { item }: Place, { token }: Person): Promise<Outcome> {
  const headers = { 'idempotency-key': randomUUID() };
  for (;;) {
    const response = await client
      .send('POST', `/v1/items/${item}/claim`, { token, body: { quantity: 1 }, headers })
      .catch(() => null);
    if (response?.status === 201) return 'claimed';
    if (response?.status === 422) return 'refused';
    // The server was killed, or the outcome is not known yet.
    if (response && response.status !== 503 && response.status !== 409)
      throw new Error(`claim: ${response.status} ${JSON.stringify(response.body)}`);
    await sleep(20);
  }
}

/** Answers twice at once with one code. If both connections break, the code may be used up: then with another one. */
async function claimAsGuest(
  environment: Environment,
  place: Place,
  i: number,
  firstCode: string,
): Promise<Outcome> {
  for (let code = firstCode; ; code = await requestCode(environment, place, i)) {
    const sent = [0, 1].map(() => answer(environment, place, i, code));
    const responses = (await Promise.all(sent)).filter((response) => response !== null);
    const done = responses.find(({ status }) => status === 200);
    if (done) return done.body.claims.length > 0 ? 'claimed' : 'refused';
    const unexpected = responses.find(({ status }) => status !== 503 && status !== 400);
    if (unexpected) throw new Error(`answer: ${unexpected.status} ${JSON.stringify(unexpected.body)}`);
    await sleep(20);
  }
}

const answer = (
  { client }: Environment,
  { event, item }: Place,
  i: number,
  code: string,
): Promise<ClientResponse | null> =>
  client
    .send('POST', `/v1/events/${event}/guest-rsvp`, {
      body: {
        ...{ email: emailOf(i), code, name: 'Mara', status: 'going' },
        claims: [{ itemId: item, quantity: 1 }],
      },
      headers: headersOf(i),
    })
    .catch(() => null);
