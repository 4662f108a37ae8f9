import { endsOthers, hostileRequests, type PageRequest } from '../../test/support/hostile-forms.ts';
import type { Server } from '../../test/support/processes.ts';
import { type Client, openClient } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertClaims, insertGoingRsvps } from '../factories.ts';
import { signInBrowser } from '../page-requests.ts';
import type { Program } from '../program.ts';

/** The longest time in which a request may keep other requests waiting, and the longest response. */
const [limitMs, limitBytes] = [50, 20_000_000];
/** A request that looks expensive is sent again: other work on the machine also delays responses. */
const repetitions = 5;

/** `heldMs`: the longest time that another request waited meanwhile. */
type Cost = { name: string; heldMs: number; bytes: number; status: number };

export const pages: Program = {
  name: 'pages',
  expectation:
    'each page and each form of a page, with hostile values and the longest texts in each of its fields, signed out and ' +
    'as an admin, beside 50,000 events, about one with 100 items and 301 guests: no request keeps another one waiting for more than 50 ms, no response has ' +
    'more than 20 MB, and none is a 5xx',
  async run({ size, only, startEnvironment, progress }) {
    const environment = await startEnvironment({ servers: 1, env: { PUBLIC_URL: 'http://127.0.0.1:3000' } });
    progress('creating data');
    const { subjects, cookie } = await createSubjects(environment);
    await copyEvent(environment, subjects.event, size(50_000, 5_000));
    const server = await environment.start();
    const client = openClient(() => [server]);
    const worst = new Map<string, Cost>();
    let [made, sent] = [0, 0];
    // The first page loads the code of all others.
    await client.send('GET', '/');
    for (const visitor of ['', cookie]) {
      for await (const request of hostileRequests(subjects)) {
        if (
          !request.name.includes(only) ||
          endsOthers.test(request.name) ||
          !isDrawn(request, made++, size(1, 12))
        )
          continue;
        if (++sent % 50 === 0) progress(request.name);
        const cost = await measure(client, server, request, visitor);
        const route = `${request.name.split(': ', 1)[0]}${visitor === '' ? '' : ', signed in'}`;
        if (isWorse(cost, worst.get(route))) worst.set(route, cost);
      }
    }
    client.close();
    const costs = [...worst].sort(([, a], [, b]) => b.heldMs - a.heldMs);
    const failed = costs.filter(
      ([, { heldMs, bytes, status }]) => heldMs > limitMs || bytes > limitBytes || status >= 500,
    );
    const describe = ([route, { name, heldMs, bytes, status }]: [string, Cost]) =>
      `\n  ${route}: ${heldMs.toFixed(1)} ms, ${(bytes / 1_000).toFixed(0)} kB, status ${status} (${name.split(': ').slice(1).join(': ')})`;
    return {
      result: `${sent} requests; ${failed.length} of ${costs.length} routes above the limits${costs.map(describe).join('')}`,
      ok: costs.length > 0 && failed.length === 0,
    };
  },
};

/** All requests, or those with the longest texts and some of the others. */
const isDrawn = ({ name }: PageRequest, n: number, step: number): boolean =>
  step === 1 ||
  n % step === 0 ||
  (/: (?:many rows|many parts|many names|commas|combining marks|hosts|slashes|digits)$/.test(name) &&
    !/: \w+: /.test(name));

const isWorse = (cost: Cost, worst: Cost | undefined): boolean =>
  !worst || cost.status >= 500 || (worst.status < 500 && cost.heldMs > worst.heldMs);

async function measure(client: Client, server: Server, request: PageRequest, cookie: string): Promise<Cost> {
  let least: Cost | undefined;
  for (let i = 0; i < repetitions && (!least || (least.heldMs > limitMs / 2 && least.status < 500)); i++) {
    const cost = await measureOnce(client, server, request, cookie);
    if (!least || cost.status >= 500 || cost.heldMs < least.heldMs) least = cost;
  }
  return least as Cost;
}

/** Asks for the health of the server again and again until the response is there. */
async function measureOnce(
  client: Client,
  server: Server,
  { name, method, path, headers, body }: PageRequest,
  cookie: string,
): Promise<Cost> {
  const all = { ...headers, accept: 'text/html', 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) };
  let isOver = false;
  const response = client
    .send(method, path, { headers: all, server, ...(body !== undefined && { raw: body }) })
    .finally(() => {
      isOver = true;
    });
  let heldMs = 0;
  while (!isOver) heldMs = Math.max(heldMs, (await client.send('GET', '/healthz', { server })).ms);
  const { status, body: html } = await response;
  return { name, heldMs, bytes: Buffer.byteLength(`${html}`), status };
}

async function createSubjects(environment: Environment) {
  const [owner, guest, ...guests] = (await environment.people(302)) as [Person, Person, ...Person[]];
  await environment.sql`update users set role = 'admin' where id = ${owner.id}`;
  const event = await createEvent(environment, owner);
  const item = await createItem(environment, owner, event, 1_000);
  for (let i = 1; i < 100; i++) await createItem(environment, owner, event, 1_000);
  await insertGoingRsvps(environment, event, [guest, ...guests]);
  await insertClaims(environment, event, guests, 1_000);
  const { body: report } = await environment.client.send('POST', '/v1/reports', {
    token: guest.token,
    body: { subject: { type: 'event', id: event }, reason: 'other' },
  });
  const cookie = await signInBrowser(environment, owner);
  return { subjects: { event, item, person: guest.id, report: `${report.id}` }, cookie };
}

/** Copies the rows of an event by SQL. Servers that start afterwards list the copies. */
async function copyEvent({ sql }: Environment, id: string, count: number): Promise<void> {
  // A statement for all of them would take longer than statements may.
  for (let first = 1; first <= count; first += 5_000)
    await sql`
      with copies as (
        select gen_random_uuid() as id, n
        from generate_series(${first}::integer, ${Math.min(first + 4_999, count)}::integer) n
      ),
      copied as (
        insert into events select (jsonb_populate_record(e, jsonb_build_object('id', c.id, 'title', 'Supper ' || c.n))).*
        from events e, copies c where e.id = ${id}
      )
      insert into event_counters select (jsonb_populate_record(k, jsonb_build_object('event_id', c.id))).*
      from event_counters k, copies c where k.event_id = ${id}`;
}
