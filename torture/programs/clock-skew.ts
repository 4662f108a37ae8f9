import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/support/factories.ts';
import { potluck, type Server } from '../../test/support/processes.ts';
import { type Call, type ClientResponse, openClient } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';
import { requireFakeTime } from '../requirements.ts';

/** Each server may differ from the database by less than a minute: one is behind it, one ahead. */
const shiftSeconds = 55;
/** Of clocks with which no server starts. */
const refusedSeconds = [-3_600, -65, 65, 3_600];
const rateLimit = 600;

/** `a` is behind the database, `b` is ahead. */
type Pair = { environment: Environment; a: Server; b: Server };
type Check = (pair: Pair, round: number) => Promise<string[]>;

export const clockSkew: Program = {
  name: 'clock-skew',
  expectation:
    'two servers whose clocks differ by 110 s, the most that servers start with, 50 times: codes, tokens and ' +
    'idempotency keys of one are valid on the other, lists show writes of the other at once, messages and the waitlist ' +
    'keep the order of the responses, the rate limit holds; a server whose clock differs from the database by more than ' +
    'a minute does not start',
  async run({ size, startEnvironment, progress }) {
    const rounds = size(50, 3);
    const [behind, ahead] = [shifted(-shiftSeconds), shifted(shiftSeconds)];
    const environment = await startEnvironment({ servers: 0 });
    const a = await environment.start(behind);
    const b = await environment.start(ahead);
    const pair = { environment, a, b };
    const skew = (await timeOf(environment, b)) - (await timeOf(environment, a));
    const wrong: string[] = [];
    const checks: Record<string, Check> = { codes, tokens, keys, lists, messages, waitlist };
    for (const [name, check] of Object.entries(checks)) {
      for (let round = 0; round < rounds; round++) {
        progress(`${name}: ${round} of ${rounds}`);
        wrong.push(...(await check(pair, round)).map((line) => `${name}: ${line}`));
      }
    }
    const limited = {
      environment,
      a: await environment.start({ RATE_LIMIT: `${rateLimit}`, ...behind }),
      b: await environment.start({ RATE_LIMIT: `${rateLimit}`, ...ahead }),
    };
    progress('rate limit');
    const passed = await countPassed(limited);
    const maxPassed = rateLimit * 1.1;
    progress('refused clocks');
    const refused = await countRefused(environment);
    return {
      result:
        `clocks ${Math.round(skew / 1_000)} s apart; ${wrong.length} of ${rounds * Object.keys(checks).length} checks wrong` +
        `; ${passed} requests passed a limit of ${rateLimit}` +
        `; ${refused} of ${refusedSeconds.length} servers with another clock refused to start` +
        [...new Set(wrong)]
          .slice(0, 8)
          .map((line) => `\n    ${line}`)
          .join(''),
      ok:
        Math.abs(skew - 2 * shiftSeconds * 1_000) < 3_000 &&
        wrong.length === 0 &&
        passed <= maxPassed &&
        refused === refusedSeconds.length,
    };
  },
};

const shifted = (seconds: number) => ({
  ...requireFakeTime(),
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
});

/** @returns how many servers ended with one line about their clock */
async function countRefused({ env }: Environment): Promise<number> {
  let refused = 0;
  for (const seconds of refusedSeconds) {
    const { ended, output } = potluck(['serve'], { env: { ...env, PORT: '0', ...shifted(seconds) } });
    const code = await ended;
    if (code === 1 && /^[^\n]*clock of this machine[^\n]*\n$/.test(output.err)) refused++;
  }
  return refused;
}

/** The time of a server: the `Date` header of its responses. */
async function timeOf({ client }: Environment, server: Server): Promise<number> {
  const { headers } = await client.send('GET', '/healthz', { server });
  return Date.parse(`${headers.date}`);
}

/** The servers in turn, so that each check runs in both directions. */
const inTurn = ({ a, b }: Pair, round: number): [Server, Server] => (round % 2 === 0 ? [a, b] : [b, a]);

/** @throws Error if the response has another status */
async function sendTo(
  { environment: { client } }: Pair,
  server: Server,
  status: number,
  method: string,
  path: string,
  call: Call = {},
): Promise<ClientResponse> {
  const response = await client.send(method, path, { ...call, server });
  if (response.status !== status)
    throw new Error(`${method} ${path} gave ${response.status}: ${JSON.stringify(response.body)}`);
  return response;
}

const codes: Check = async (pair, round) => {
  const [first, second] = inTurn(pair, round);
  const phone = phoneOf(round);
  const { client } = pair.environment;
  const { body: sent } = await sendTo(pair, first, 202, 'POST', '/v1/auth/otp/request', { body: { phone } });
  const verified = await client.send('POST', '/v1/auth/otp/verify', {
    server: second,
    body: { phone, code: sent.devCode },
  });
  if (verified.status !== 200) return [`a new code gave ${verified.status} on the other server`];
  const me = await client.send('GET', '/v1/auth/me', { server: first, token: verified.body.accessToken });
  return me.status === 200 ? [] : [`a new token gave ${me.status} on the other server`];
};

const tokens: Check = async (pair, round) => {
  const [first, second] = inTurn(pair, round);
  const { client } = pair.environment;
  const phone = phoneOf(10_000 + round);
  const { body: sent } = await sendTo(pair, first, 202, 'POST', '/v1/auth/otp/request', { body: { phone } });
  let session = await sendTo(pair, first, 200, 'POST', '/v1/auth/otp/verify', {
    body: { phone, code: sent.devCode },
  });
  for (const server of [second, first, second]) {
    const { refreshToken } = session.body;
    session = await client.send('POST', '/v1/auth/refresh', { server, body: { refreshToken } });
    if (session.status !== 200) return [`a refresh gave ${session.status} on the other server`];
  }
  const { accessToken } = session.body;
  await sendTo(pair, second, 200, 'POST', '/v1/auth/logout', { token: accessToken });
  const { status } = await client.send('GET', '/v1/auth/me', { server: first, token: accessToken });
  return status === 401 ? [] : [`a token gave ${status} after the logout on the other server`];
};

async function createPeople({ environment }: Pair, count: number): Promise<[Person, ...Person[]]> {
  const [first, ...others] = await environment.people(count);
  if (!first) throw new Error('no people were created');
  return [first, ...others];
}

const keys: Check = async (pair, round) => {
  const [person] = await createPeople(pair, 1);
  const body = eventBody();
  const headers = { 'idempotency-key': `skew-${round}` };
  const [first, second] = await Promise.all(
    inTurn(pair, round).map((server) =>
      pair.environment.client.send('POST', '/v1/events', { server, token: person.token, headers, body }),
    ),
  );
  const third = await sendTo(pair, pair.a, 201, 'POST', '/v1/events', { token: person.token, headers, body });
  const ids = [first, second].filter((each) => each?.status === 201).map((each) => each?.body.id);
  return ids.every((id) => id === third.body.id) ? [] : ['one key created two events'];
};

const lists: Check = async (pair, round) => {
  const [first, second] = inTurn(pair, round);
  const [person] = await createPeople(pair, 1);
  const { token } = person;
  const title = `Skewed ${round} ${person.id}`;
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const body = eventBody({ title, startAt: inHours(1), endAt: inHours(3) });
  const { body: event } = await sendTo(pair, first, 201, 'POST', '/v1/events', { token, body });
  const query = `/v1/events?q=${encodeURIComponent(title)}`;
  const titles = async (path: string) =>
    (await sendTo(pair, second, 200, 'GET', path, { token })).body.data.map(
      (each: { title: string }) => each.title,
    );
  if (!(await titles(query)).includes(title)) return ['the list of the other server lacks a new event'];
  await sendTo(pair, first, 200, 'PATCH', `/v1/events/${event.id}`, {
    token,
    body: { title: `${title} moved` },
  });
  const { body: record } = await sendTo(pair, second, 200, 'GET', `/v1/events/${event.id}`, { token });
  if (record.title !== `${title} moved`) return ['the other server returns an old title'];
  const own = await titles('/v1/me/events?relation=organizing');
  return own.includes(`${title} moved`) ? [] : ['the own list of the other server is old'];
};

const messages: Check = async (pair) => {
  const [person, other] = await createPeople(pair, 2);
  const sent: string[] = [];
  for (let n = 0; n < 6; n++) {
    const text = `Message ${n}`;
    const server = n % 2 === 0 ? pair.b : pair.a;
    const path = `/v1/users/${other?.id}/messages`;
    await sendTo(pair, server, 201, 'POST', path, { token: person.token, body: { text } });
    sent.push(text);
  }
  const { body } = await sendTo(pair, pair.a, 200, 'GET', `/v1/users/${other?.id}/messages`, {
    token: person.token,
  });
  const listed = body.data.map((each: { text: string }) => each.text).toReversed();
  return JSON.stringify(listed) === JSON.stringify(sent)
    ? []
    : ['the messages are not in the order of sending'];
};

const waitlist: Check = async (pair) => {
  const people = await createPeople(pair, 5);
  const [organizer, holder, ...waiting] = people;
  const event = await createEvent(pair.environment, organizer, {
    capacity: 1,
    enabledModules: ['booking'],
  });
  const route = `/v1/events/${event}/booking`;
  const book = (server: Server, person: Person | undefined) =>
    sendTo(pair, server, 201, 'POST', route, {
      token: person?.token ?? '',
      body: { seats: 1, waitlist: true },
    });
  await book(pair.a, holder);
  for (const [n, person] of waiting.entries()) await book(n % 2 === 0 ? pair.b : pair.a, person);
  let holding = holder;
  for (const next of waiting) {
    await sendTo(pair, pair.a, 200, 'DELETE', route, { token: holding?.token ?? '' });
    const { body } = await sendTo(pair, pair.b, 200, 'GET', route, { token: next.token });
    if (body.status !== 'booked') return [`the first in the waitlist is ${body.status}`];
    holding = next;
  }
  return [];
};

/** Sends three times the limit to both servers in turn. @returns how many requests passed */
async function countPassed({ a, b }: Pair): Promise<number> {
  // A minute that begins during the measurement begins with a new limit. The minutes are those of the database, which
  // has the time of this machine.
  const sinceMinute = Date.now() % 60_000;
  if (sinceMinute > 40_000) await sleep(60_000 - sinceMinute + 500);
  const client = openClient(() => [a, b], '127.0.0.9');
  let passed = 0;
  for (let n = 0; n < 3 * rateLimit; n++) {
    const { status } = await client.send('GET', '/v1/categories');
    if (status === 200) passed++;
  }
  client.close();
  return passed;
}
