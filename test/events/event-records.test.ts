import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { optionalFields } from '../operations/event-fields.ts';
import { createAdmin, createEvent, createUser, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const stranger = await createUser(api);
const admin = await createAdmin(api);

// spec: 2.5 GET /v1/events/:id: the fields of 2.4
// spec: 4.11 GET /v1/events/:id: full record, token optional
// spec: 5 GET /v1/events, GET /v1/events/:id, GET /v1/events/:id/items, GET /v1/users/:id: optional token: operations work without it, and with it they add the caller's fields
test('record: 200 without the fields of the caller if the request has no token, with all of them if it has one', async () => {
  const event = await createEvent(api, organizer);
  const { body: anonymous } = expectStatus(await api.get(`/v1/events/${event.id}`), 200);
  assert.deepEqual([anonymous.myBooking, anonymous.myWaitlist], [null, null]);
  const { body: withToken } = expectStatus(await api.get(`/v1/events/${event.id}`, stranger.token), 200);
  const own = {
    myRsvp: null,
    isSaved: false,
    myExtraGuests: 0,
    isRsvpHidden: false,
    myRequest: null,
    myInvitation: null,
  };
  assert.deepEqual({ ...anonymous, ...own }, withToken);
  await rsvpGoing(api, stranger, event.id);
  await api.post(`/v1/events/${event.id}/save`, stranger.token, { saved: true });
  const { body: withRsvp } = await api.get(`/v1/events/${event.id}`, stranger.token);
  assert.deepEqual([withRsvp.myRsvp, withRsvp.isSaved, withRsvp.rsvpCount], ['going', true, 1]);
  const { body: other } = await api.get(`/v1/events/${event.id}`, admin.token);
  assert.deepEqual([other.myRsvp, other.isSaved, other.rsvpCount], [null, false, 1]);
});

test('record: 404 for an unknown or malformed id; ids are case-insensitive', async () => {
  for (const id of [
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1',
    'nonsense',
    '1',
    '%20',
    "'; drop table events",
    'x'.repeat(190),
  ]) {
    expectProblem(await api.get(`/v1/events/${encodeURIComponent(id)}`), 404, 'event_not_found');
  }
  const event = await createEvent(api, organizer);
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id.toUpperCase()}`), 200).body.id, event.id);
});

// spec: 4.11 GET /v1/events/:id: full record, token optional
test('visibility: 200 for everyone on an unlisted event; 404 on a private event except for its organizer and admins', async () => {
  const unlisted = await createEvent(api, organizer, { visibility: 'unlisted' });
  for (const token of [undefined, stranger.token, organizer.token, admin.token]) {
    assert.equal(
      expectStatus(await api.get(`/v1/events/${unlisted.id}`, token), 200).body.visibility,
      'unlisted',
    );
  }
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const token of [undefined, stranger.token]) {
    for (const path of ['', '/items']) {
      expectProblem(await api.get(`/v1/events/${draft.id}${path}`, token), 404, 'event_not_found');
    }
  }
  for (const token of [organizer.token, admin.token]) {
    assert.equal(
      expectStatus(await api.get(`/v1/events/${draft.id}`, token), 200).body.visibility,
      'private',
    );
    expectStatus(await api.get(`/v1/events/${draft.id}/items`, token), 200);
  }
});

// spec: 2.1 GET /v1/users/:id/avatar.svg: a default avatar for every person
// spec: 2.4 GET /v1/events/:id/cover.svg: a default cover for every event
test('pictures: 200 with an SVG at the URLs of coverUrl and avatar', async () => {
  const event = await createEvent(api, organizer, { category: 'music' });
  for (const address of [event.coverUrl, event.organizer.avatar]) {
    const { pathname, search } = new URL(address);
    const { body, headers } = expectStatus(await api.get(pathname + search), 200);
    assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.match(body, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  }
  assert.match((await api.get(`/v1/events/${event.id}/cover.svg?category=music`)).body, /🎵/);
  expectStatus(await api.get(`/v1/events/${event.id}/cover.svg?category=%3Cscript%3E`), 200);
  expectProblem(await api.get('/v1/events/nonsense/cover.svg'), 404, 'event_not_found');
});

test('cover: a chosen theme is in the address of the cover, in records and lists, and looks the same for each event', async () => {
  const before = await createEvent(api, organizer, { category: 'music' });
  const automatic = expectStatus(await api.get(`/v1/events/${before.id}/cover.svg?category=music`), 200);
  const pictures = new Set<string>();
  for (const coverTheme of optionalFields.coverTheme?.rule.good ?? []) {
    const path = `/v1/events/${before.id}`;
    const { body } = expectStatus(await api.patch(path, organizer.token, { coverTheme }), 200);
    assert.equal(body.coverUrl, coverTheme ? `${before.coverUrl}&theme=${coverTheme}` : before.coverUrl);
    const { pathname, search } = new URL(body.coverUrl);
    const picture = expectStatus(await api.get(pathname + search), 200).body;
    const other = expectStatus(await api.get(`/v1/events/${randomUUID()}/cover.svg${search}`), 200).body;
    if (coverTheme) assert.equal(picture, other);
    else assert.equal(picture, automatic.body);
    if (coverTheme) pictures.add(picture);
    const { body: list } = expectStatus(await api.get(`/v1/users/${organizer.id}/events?limit=50`), 200);
    const listed = list.data.find((event: { id: string }) => event.id === before.id);
    assert.equal(listed.coverUrl, body.coverUrl);
  }
  assert.equal(pictures.size, 12);
  const unknown = await api.get(`/v1/events/${before.id}/cover.svg?category=music&theme=%22%3E%3Cscript%3E`);
  assert.equal(expectStatus(unknown, 200).body, automatic.body);
});

// spec: 2.4 GET /v1/categories: list of categories
// spec: 2.5 GET /v1/templates: list of templates
test('catalogues: 200 with every category and template, and an event can have each of them', async () => {
  const { body: categories } = expectStatus(await api.get('/v1/categories'), 200);
  const { body: templates } = expectStatus(await api.get('/v1/templates'), 200);
  assert.ok(categories.data.length > 5 && templates.data.length > 3);
  for (const category of categories.data) {
    assert.deepEqual((await createEvent(api, organizer, { category: category.slug })).category, category);
  }
  for (const { slug, name } of templates.data) {
    assert.deepEqual((await createEvent(api, organizer, { template: slug })).template, { slug, name });
  }
});
