/** Repeatable requests for each route and each page, with the data of one person who has much of everything. */
import sharp from 'sharp';
import { accessRows, routeOf } from '../test/operations/all.ts';
import { type Person as ApiPerson, eventBody } from '../test/support/factories.ts';
import { openApi } from './api.ts';
import { runConcurrently } from './client.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent, createItem, insertClaims, insertGoingRsvps } from './factories.ts';
import { combiningMarks, differentLetters } from './hostile/texts.ts';
import { createPageRequests } from './page-requests.ts';
import type { RouteRequest } from './route-request.ts';

/** `claims`: on all items of the event together. `variants`: different addresses of each page. */
export type Amounts = { events: number; items: number; guests: number; claims: number; variants: number };

/** Routes of monitoring, which have no limit, and routes for admins, who are trusted. */
const excluded = /^GET \/(healthz|readyz|metrics)|\/v1\/admin\//;

export async function createRouteRequests(
  environment: Environment,
  amounts: Amounts,
): Promise<RouteRequest[]> {
  const api = await openApi(environment);
  const [owner, ...guests] = await environment.people(1 + amounts.guests);
  if (!owner) throw new Error('no people were created');
  const { event, others } = await createRichEvent(environment, owner, guests, amounts);
  const item = await createItem(environment, owner, event, 10);
  const caller = owner as ApiPerson;
  const context = {
    api,
    organizer: caller,
    event,
    item,
    caller,
    sessionOf: async () => (await api.get('/v1/auth/sessions', owner.token)).body.data[0].id,
  };
  const requests = new Map<string, RouteRequest>();
  for (const [name, row] of Object.entries(accessRows)) {
    const route = routeOf(name);
    if (requests.has(route) || row.needsFreshPeople || excluded.test(route) || route.startsWith('DELETE '))
      continue;
    await row.before?.(context);
    const [method = '', template = ''] = route.split(' ');
    const path =
      (await row.path?.(context)) ??
      template.replace('{id}', template.startsWith('/v1/items') ? item : event);
    const body = await row.body?.(context);
    const isImage = row.file?.type.startsWith('image/') === true;
    const raw = row.file
      ? isImage
        ? await largeImage()
        : row.file.content
      : body === undefined
        ? undefined
        : Buffer.from(JSON.stringify(body));
    requests.set(route, {
      name: route,
      method,
      paths: [path],
      headers: {
        authorization: `Bearer ${owner.token}`,
        ...row.headers,
        ...(raw && { 'content-type': isImage ? 'image/jpeg' : (row.file?.type ?? 'application/json') }),
      },
      ...(raw && { raw }),
    });
  }
  return [
    ...requests.values(),
    ...expensiveReads(event, owner),
    ...(await createExpensiveUploads(owner)),
    ...(await hostileWrites(environment, event, owner)),
    ...(await createPageRequests(environment, owner, event, others, amounts.variants)),
  ];
}

/** Queries that make a route do more than it does without them. */
function expensiveReads(event: string, owner: Person): RouteRequest[] {
  const words = encodeURIComponent(
    Array.from({ length: 60 }, (_, i) => String.fromCharCode(97 + (i % 26))).join(' '),
  );
  const paths = [
    '/v1/events?limit=50&page=40',
    '/v1/events?lat=52&lng=13&radius=20000&limit=50',
    `/v1/events?q=${words}&dateFrom=1900-01-01&limit=50`,
    `/v1/events/search?q=${words}&limit=50`,
    '/v1/events/suggest?q=qzrtev%20wkjahg%20uhntrs',
    '/v1/users/search?q=p&limit=50',
    `/v1/users/${owner.id}/followers?limit=50`,
    '/v1/me/events?relation=organizing&limit=50',
    `/v1/events/${event}/claims?limit=50`,
    `/v1/events/${event}/bookings?limit=50`,
    `/v1/events/${event}/guests?limit=50`,
    `/v1/events/${event}/items`,
    `/v1/events/${event}/live?once=true`,
    '/openapi.json',
    '/docs',
  ];
  return paths.map((path) => ({
    name: `GET ${path.slice(0, 60)}`,
    method: 'GET',
    paths: [path],
    headers: { authorization: `Bearer ${owner.token}` },
  }));
}

/** Small files that decode to large pictures: the one that takes longest of those that are accepted, and one that is refused. */
async function createExpensiveUploads(owner: Person): Promise<RouteRequest[]> {
  const sizes = [
    { side: 5_000, channels: 3 },
    { side: 7_071, channels: 4 },
  ] as const;
  return Promise.all(
    sizes.map(async ({ side, channels }) => {
      const background = { r: 200, g: 90, b: 40, alpha: 0.5 };
      const raw = await sharp({ create: { width: side, height: side, channels, background } })
        .toColourspace('rgb16')
        .png({ progressive: true })
        .toBuffer();
      return {
        name: `POST /v1/uploads of a PNG of ${side} × ${side} pixels, ${channels} channels and 16 bit`,
        method: 'POST',
        paths: ['/v1/uploads'],
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'image/png' },
        raw,
      };
    }),
  );
}

/** Writes of texts that take long unless they are bounded. */
async function hostileWrites(
  environment: Environment,
  event: string,
  owner: Person,
): Promise<RouteRequest[]> {
  const marks = combiningMarks(10_000);
  const marked = await createEvent(environment, owner, { description: marks });
  const links = (length: number) => {
    const item = { kind: 'bring', title: 'a', quantityNeeded: 1, link: `http://${differentLetters(length)}` };
    return { items: Array(20).fill(item) };
  };
  const town = { town: 'a,'.repeat(1_000), label: '', lat: 1, lng: 1, timeZone: 'UTC' };
  const form = new URLSearchParams({ address: 'a 1,'.repeat(20_000), choice: JSON.stringify(town) });
  const writes: [name: string, method: string, path: string, body: unknown][] = [
    ['the title of an event with combining marks', 'PATCH', `/v1/events/${marked}`, { title: 'a' }],
    ['an event with combining marks', 'POST', '/v1/events', eventBody({ description: marks })],
    ['items with hosts of many letters', 'POST', `/v1/events/${event}/items/batch`, links(2_000)],
    ['items with links that are too long', 'POST', `/v1/events/${event}/items/batch`, links(4_000)],
    ['a form with an address of many parts', 'POST', '/new?/places', form],
  ];
  return writes.map(([name, method, path, body]) => ({
    name: `write: ${name}`,
    method,
    paths: [path],
    headers: {
      authorization: `Bearer ${owner.token}`,
      'sec-fetch-site': 'same-origin',
      'content-type':
        body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    raw: Buffer.from(body instanceof URLSearchParams ? `${body}` : JSON.stringify(body)),
  }));
}

async function createRichEvent(
  environment: Environment,
  owner: Person,
  guests: Person[],
  { events, items, claims }: Amounts,
): Promise<{ event: string; others: string[] }> {
  const description = 'A long description with many words. '.repeat(50);
  const others = await runConcurrently(events, 16, (i) =>
    createEvent(environment, owner, { title: `A party of ${i}`, description }),
  );
  const event = await createEvent(environment, owner, {
    description,
    enabledModules: ['bringList', 'wishList', 'booking'],
  });
  await runConcurrently(items, 16, () => createItem(environment, owner, event, 1_000));
  await insertGoingRsvps(environment, event, guests);
  await insertClaims(environment, event, guests, claims);
  const guestIds = guests.map(({ id }) => id);
  await environment.sql`
    insert into relations (user_id, other_id, follows, followed_by, blocks, blocked_by)
    select case when is_guest then id else ${owner.id} end, case when is_guest then ${owner.id} else id end,
      is_guest, not is_guest, false, false
    from unnest(${guestIds}::uuid[]) r (id), (values (true), (false)) v (is_guest)`;
  await environment.sql`
    update user_counters set followers_count = ${guests.length} where user_id = ${owner.id}`;
  await environment.sql`
    update user_counters set following_count = 1 where user_id = any(${guestIds}::uuid[])`;
  return { event, others };
}

/** About the largest photograph that phones take. */
const largeImage = () =>
  sharp({
    create: {
      width: 4_000,
      height: 3_000,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 12 },
    },
  })
    .jpeg({ quality: 70 })
    .toBuffer();
