import { listOperations, type Operation } from '../../test/operations/openapi-operations.ts';
import { eventBody } from '../../test/support/factories.ts';
import { runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import { brokenBodies, maxBodySizes, padded, unusualQueries, unusualTexts } from '../hostile/bodies.ts';
import { wireRequests } from '../hostile/wire.ts';
import type { Program } from '../program.ts';
import { sendRaw } from '../raw-connection.ts';

type HostileContext = {
  /** Tries every n-th request; `--quick` sends fewer. */
  every: number;
  environment: Environment;
  me: Person;
  writer: Person;
  event: string;
  item: string;
};
/** `faults` has a line for each unexpected response. */
type Tally = { tried: number; faults: string[] };

const isRefusal = (status: number) => status >= 400 && status < 500;

export const hostile: Program = {
  name: 'hostile',
  expectation:
    'hostile bodies, texts, headers, paths and methods: each gives a 4xx or an exact round trip, without ' +
    'side effects',
  quick: true,
  async run({ startEnvironment, size, progress }) {
    const environment = await startEnvironment();
    const [me, writer] = await environment.people(2);
    if (!me || !writer) throw new Error('no people were created');
    const event = await createEvent(environment, me);
    const context: HostileContext = {
      every: size(1, 8),
      environment,
      me,
      writer,
      event,
      item: await createItem(environment, me, event, 3),
    };
    const tally: Tally = { tried: 0, faults: [] };
    const before = await readReferences(context);
    for (const [name, attack] of Object.entries({ wire, bodies, texts, searches })) {
      progress(name);
      await attack(context, tally);
    }
    const after = await readReferences(context);
    for (const [i, line] of before.entries())
      if (after[i] !== line) tally.faults.push(`before: ${line}, after: ${after[i]}`);
    return {
      result: `${tally.faults.length} of ${tally.tried.toLocaleString('en')} wrong${tally.faults
        .slice(0, 5)
        .map((fault) => `\n    ${fault}`)
        .join('')}`,
      ok: tally.faults.length === 0,
    };
  },
};

/** The responses of both servers to ordinary requests. */
async function readReferences({ environment, me, event }: HostileContext): Promise<string[]> {
  const responses: string[] = [];
  for (const server of environment.servers) {
    for (const path of [
      '/healthz',
      '/readyz',
      '/v1/categories',
      `/v1/events/${event}`,
      `/v1/events/${event}/items`,
      '/v1/auth/me',
    ]) {
      const { status, body } = await environment.client.send('GET', path, { token: me.token, server });
      // The bodies of maximum size change the city.
      responses.push(JSON.stringify([path, status, path === '/v1/auth/me' ? { ...body, city: '' } : body]));
    }
  }
  return responses;
}

async function wire({ every, environment, event, item, me }: HostileContext, tally: Tally): Promise<void> {
  const { body: document } = await environment.client.send('GET', '/openapi.json');
  const paths = Object.entries<Record<string, Operation>>(document.paths);
  const routes = Object.fromEntries(
    paths.map(([path, methods]) => {
      const id = path.startsWith('/v1/items') ? item : path.startsWith('/v1/users') ? me.id : event;
      return [path.replace('{id}', id), Object.keys(methods).map((method) => method.toUpperCase())];
    }),
  );
  const requests = wireRequests(routes).filter((_, i) => i % every === 0);
  await runConcurrently(requests.length, 32, async (i) => {
    const server = environment.servers[i % environment.servers.length];
    const request = requests[i];
    if (!server || !request) return;
    tally.tried++;
    const { statuses } = await sendRaw(server, request.bytes).catch((error: Error) => {
      tally.faults.push(error.message);
      return { statuses: [400] };
    });
    const allowed = request.allowed ?? (([status = 500, ...more]) => isRefusal(status) && more.length === 0);
    if (!allowed(statuses)) tally.faults.push(`${request.name} → ${statuses.join(', ') || 'closed'}`);
  });
}

async function bodies({ every, environment, me, event, item }: HostileContext, tally: Tally): Promise<void> {
  const get = async () => (await environment.client.send('GET', '/openapi.json')) as never;
  const { withBody } = await listOperations({ get }, { event, item, user: me.id });
  for (const [n, { method, path, example }] of withBody.entries()) {
    const broken = brokenBodies(example).filter((_, i) => (i + n) % every === 0);
    await runConcurrently(broken.length, 8, async (i) => {
      const raw = broken[i] ?? '';
      const { status } = await environment.client.send(method, path, { token: me.token, raw });
      tally.tried++;
      if (!isRefusal(status))
        tally.faults.push(`${method} ${path} ${raw.toString('latin1').slice(0, 80)} → ${status}`);
    });
  }
  for (const length of maxBodySizes) {
    const raw = padded(JSON.stringify({ city: 'Oslo' }), length);
    const { status } = await environment.client.send('PATCH', '/v1/me', { token: me.token, raw });
    tally.tried++;
    if (status !== 200) tally.faults.push(`a body of ${length} bytes → ${status}`);
  }
  const raw = '{"city":"first","city":"last","city":"very last"}';
  const { body } = await environment.client.send('PATCH', '/v1/me', { token: me.token, raw });
  tally.tried++;
  if (body.city !== 'very last') tally.faults.push(`a field sent three times became ${body.city}`);
}

/** Writes each text to all text fields of an event, an item and a profile, and reads it from both servers. */
async function texts({ environment, writer: me }: HostileContext, tally: Tally): Promise<void> {
  const { send } = environment.client;
  for (const text of unusualTexts) {
    const location = { address: text, lat: 1, lng: 2 };
    const id = await createEvent(environment, me, eventBody({ title: text, description: text, location }));
    const item = { kind: 'bring', title: text, description: text, quantityNeeded: 1 };
    await send('POST', `/v1/events/${id}/items`, { token: me.token, body: item });
    await send('PATCH', '/v1/me', { token: me.token, body: { bio: text } });
    for (const server of environment.servers) {
      const call = { token: me.token, server };
      const { body: event } = await send('GET', `/v1/events/${id}`, call);
      const { body: items } = await send('GET', `/v1/events/${id}/items`, call);
      const { body: profile } = await send('GET', '/v1/auth/me', call);
      const item = items.data?.[0];
      const line = text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
      const stored: [value: string, sent: string][] = [
        ...[event.title, event.location?.address, item?.title].map((value): [string, string] => [
          value,
          line,
        ]),
        ...[event.description, item?.description, profile.bio].map((value): [string, string] => [
          value,
          text,
        ]),
      ];
      tally.tried += stored.length;
      for (const [value, sent] of stored)
        if (value !== sent) tally.faults.push(`${JSON.stringify(sent)} was returned as ${value}`);
    }
    await send('DELETE', `/v1/events/${id}`, { token: me.token });
  }
}

/** Each query must get a 200 or 400, and no character may act as a wildcard. */
async function searches({ environment, me }: HostileContext, tally: Tally): Promise<void> {
  for (const query of [...unusualQueries, ...unusualTexts]) {
    const q = encodeURIComponent(query.slice(0, 200));
    for (const path of [
      `/v1/events?q=${q}`,
      `/v1/events/search?q=${q}`,
      `/v1/users/search?q=${q}`,
      `/v1/events?category=${q.slice(0, 60)}`,
    ]) {
      const { status, body } = await environment.client.send('GET', path, { token: me.token });
      tally.tried++;
      if (status !== 200 && status !== 400) tally.faults.push(`${path} → ${status}`);
      const isWild = status === 200 && path.includes('users/search') && /^[%_\\*]+$/.test(query);
      if (isWild && body.data.length > 0) tally.faults.push(`${path} found ${body.data.length}`);
    }
  }
}
