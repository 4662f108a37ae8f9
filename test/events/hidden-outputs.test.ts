/** Where the exact place of an event stands that hides its address: every response of the API has a verdict. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { addAddress, createUser, eventBody, inDays } from '../support/factories.ts';
import {
  createHiddenEvent,
  exactWords,
  hiding,
  home,
  middleOf,
  type Reader,
} from '../support/hidden-event.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

/**
 * `public`: the public place, for every caller. `mayRead`: the exact place for those who may read it, and the public one for
 * others. `own`: the exact place for the organizer alone. `none`: not the place of an event.
 */
type Verdict = 'public' | 'mayRead' | 'own' | 'none';

/** Of each operation whose response has a place, or that is no JSON. */
const verdicts: Record<string, Verdict> = {
  'GET /v1/events/{id}': 'mayRead',
  'GET /v1/calendars/{secret}.ics': 'mayRead',
  'POST /v1/events': 'own',
  'PATCH /v1/events/{id}': 'own',
  'POST /v1/events/{id}/duplicate': 'own',
  'GET /v1/me/export': 'own',
  'GET /v1/events/{id}/guest/export': 'none',
  'GET /v1/events': 'public',
  'GET /v1/events/search': 'public',
  'GET /v1/events/map': 'public',
  'GET /v1/events/suggest': 'public',
  'GET /v1/events.ics': 'public',
  'GET /v1/events/{id}/calendar.ics': 'public',
  'GET /v1/users/{id}/events': 'public',
  'GET /v1/me/events': 'public',
  'GET /v1/me/guests': 'public',
  'GET /v1/me/invitations': 'public',
  'GET /v1/invitation': 'public',
  'GET /v1/feed': 'public',
  'GET /v1/notifications': 'public',
  'POST /v1/series': 'public',
  'GET /v1/series/{id}': 'public',
  'PATCH /v1/series/{id}': 'public',
  'GET /v1/series/{id}/events': 'public',
  'GET /v1/series/{id}/calendar.ics': 'public',
  'GET /v1/me/series': 'public',
  'POST /v1/events/{id}/repeat': 'public',
  // Entries of calendars that the caller has sent.
  'GET /v1/imports/{id}/entries': 'none',
  'PATCH /v1/imports/{id}/entries/{n}': 'none',
  // Counts, items and times.
  'GET /v1/events/{id}/live': 'none',
  'GET /v1/events/{id}/cover.svg': 'none',
  'GET /v1/events/{id}/guests.csv': 'none',
  'GET /v1/uploads/{id}.webp': 'none',
  'GET /v1/users/{id}/avatar.svg': 'none',
  'GET /v1/places': 'none',
  'GET /v1/setup': 'none',
  'GET /v1/admin/settings': 'none',
  'PATCH /v1/admin/settings': 'none',
  'GET /metrics': 'none',
  // Addresses of people.
  'GET /v1/admin/audit': 'none',
  'GET /v1/admin/mails': 'none',
};

const api = await startTestApp();
const { deliver } = createNotificationClient(api);
const { body: document } = await api.get('/openapi.json');

const word = `w${randomUUID().slice(0, 8)}`;
const event = await createHiddenEvent(api, { title: word });
const { organizer, readers } = event;
const repeated = { ...hiding, title: word, startAt: `${inDays(7).slice(0, 17)}00Z`, endAt: inDays(7, 2) };
const created = await api.post('/v1/series', organizer.token, {
  event: eventBody(repeated),
  rrule: 'FREQ=DAILY;COUNT=3',
});
const series = expectStatus(created, 201).body.id;
expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { endAt: inDays(7, 5) }), 200);
await deliver();
const { body: shown } = await api.get(`/v1/events/${event.id}`);

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
};
const placeFields = ['location', 'address', 'lat', 'lng', 'onlineUrl'];

function hasPlace(schema: Schema, seen: string[] = []): boolean {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return !seen.includes(name) && hasPlace(document.components.schemas[name], [...seen, name]);
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const fields = Object.entries(schema.properties ?? {});
  return (
    parts.some((part) => hasPlace(part, seen)) ||
    fields.some(([name, field]) => placeFields.includes(name) || hasPlace(field, seen))
  );
}

type Response = { $ref?: string; content?: Record<string, { schema: Schema }> };
type Operation = { responses: Record<string, Response> };
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    isRead: method === 'get',
    showsPlace: Object.entries(operation.responses).some(
      ([status, { content = {} }]) =>
        status.startsWith('2') &&
        Object.entries(content).some(([type, { schema }]) => type !== 'application/json' || hasPlace(schema)),
    ),
  })),
);

test('hidden address: each response with a place, and each that is no JSON, has a verdict, and no other has', () => {
  const shown = operations.filter(({ showsPlace }) => showsPlace).map(({ name }) => name);
  assert.deepEqual(Object.keys(verdicts).sort(), shown.sort());
});

const ids: Record<string, string> = {
  '/v1/users/': organizer.id,
  '/v1/series/': series,
  '/v1/items/': event.itemId,
  '/v1/invitations/': event.invitationId,
};
const queries: Record<string, string> = {
  '/v1/users/search': 'q=olga',
  '/v1/places': 'q=Oslo',
  '/v1/events': `q=${word}`,
  '/v1/events/search': `q=${word}`,
  '/v1/events.ics': `q=${word}`,
  '/v1/events/map': `bbox=10,59,11,60&zoom=15&q=${word}`,
  '/v1/events/highlights': `ids=${event.id}`,
  '/v1/events/suggest': `q=${word}`,
  '/v1/events/{id}/live': 'once=true',
  '/v1/me/events': 'relation=organizing',
  '/v1/admin/mails/preview': 'kind=reminder',
  '/v1/setup': 'token=none',
};

async function pathFor(path: string, { token }: Reader): Promise<string | null> {
  if (path === '/v1/calendars/{secret}.ics') {
    const made = await api.post('/v1/me/calendar', token, undefined);
    return made.status === 201 ? new URL(made.body.url).pathname : null;
  }
  const [, id = event.id] = Object.entries(ids).find(([start]) => path.startsWith(start)) ?? [];
  return `${path.replace('{id}', id)}?${queries[path] ?? ''}`;
}

const isPublicIn = (text: string): boolean =>
  text.includes(`${shown.location.lat}`) || text.includes(shown.location.address);

test('hidden address: no read of the API shows it to those who may not read it, and lists show it to nobody', async () => {
  // A person with the address of a guest, who may take the guest over.
  const taker = await createUser(api);
  const guestAddress = readers['guest interested']?.email;
  const all = { ...readers, taker: { token: taker.token, mayRead: false } };
  await addAddress(api, taker, guestAddress);
  const seen = new Map<string, Set<string>>();
  for (const { name, path } of operations.filter(({ isRead }) => isRead)) {
    const verdict = verdicts[name] ?? 'none';
    for (const [who, reader] of Object.entries(all)) {
      const to = await pathFor(path, reader);
      if (!to) continue;
      const headers = { 'invitation-token': event.linkToken };
      const { status, body, headers: answered } = await api.call('GET', to, { token: reader.token, headers });
      const text = JSON.stringify(body) + (answered.get('etag') ?? '') + (answered.get('location') ?? '');
      const isAllowed = verdict === 'mayRead' ? reader.mayRead : verdict === 'own' && who === 'organizer';
      const about = `${name} for ${who}: ${status}`;
      if (exactWords.test(text)) assert.ok(isAllowed, `${about}: ${exactWords.exec(text)}`);
      else if (isAllowed && verdict === 'mayRead' && path === '/v1/events/{id}') assert.fail(about);
      if (status === 200) {
        const found = seen.get(name) ?? new Set();
        seen.set(name, found);
        if (exactWords.test(text)) found.add('exact');
        if (isPublicIn(text)) found.add('public');
      }
    }
  }
  for (const { name, isRead } of operations) {
    const verdict = verdicts[name] ?? 'none';
    if (!isRead || verdict === 'none') continue;
    const expected = verdict === 'own' || name.includes('/calendars/') ? 'exact' : 'public';
    assert.ok(seen.get(name)?.has(expected), `${name} was not seen with its ${expected} place`);
  }
});

test('hidden address: the responses to the organizer of a new, changed or copied event have it, those of series have not', async () => {
  const post = async (path: string, body: object, status: number) =>
    expectStatus(await api.post(path, organizer.token, body), status).body;
  const exact = { ...home, isExact: true };
  const made = await post('/v1/events', eventBody({ ...hiding, title: 'Made' }), 201);
  const copied = await post(`/v1/events/${made.id}/duplicate`, { startAt: inDays(20) }, 201);
  const changed = expectStatus(
    await api.patch(`/v1/events/${made.id}`, organizer.token, { title: 'Changed' }),
    200,
  );
  for (const { location } of [made, copied, changed.body]) assert.deepEqual(location, exact);
  const start = `${inDays(30).slice(0, 17)}00Z`;
  const whole = await post('/v1/events', eventBody({ ...hiding, startAt: start, endAt: inDays(30, 1) }), 201);
  const answers = [
    await post(`/v1/events/${whole.id}/repeat`, { rrule: 'FREQ=DAILY;COUNT=2' }, 201),
    expectStatus(
      await api.patch(`/v1/series/${series}`, organizer.token, { rrule: 'FREQ=DAILY;COUNT=4' }),
      200,
    ).body,
  ];
  for (const { next } of answers) {
    assert.deepEqual([next.location.lat, next.location.lng], Object.values(middleOf(home)));
    assert.equal(next.location.isExact, false);
  }
  for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), exactWords);
});
