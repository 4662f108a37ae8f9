/**
 * The access of those who come to an event by an invitation: a guest with a guest token, an account that is invited, an account
 * that holds a link and has not answered, and a guest whom the organizer removed; at a private and at a public event.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { invite } from '../support/invitations.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const roles = ['guest token', 'invited', 'link', 'removed'] as const;
type Role = (typeof roles)[number];
/** A credential, and what the role has of the event. */
type Caller = { token: string; link: string };
type Scene = { event: string; item: string; organizer: string; callers: Record<Role, Caller> };

async function createScene(visibility: string): Promise<Scene> {
  const open = { visibility, guestListVisibility: 'guests', commentVisibility: 'guests' };
  const enabledModules = ['guestRsvp', 'bringList', 'booking', 'comments'];
  const { id: event } = await createEvent(api, organizer, { ...open, enabledModules });
  const { id: item } = await createItem(api, organizer, event, { quantityNeeded: 9 });
  const [invited, holder, removed] = [await createUser(api), await createUser(api), await createUser(api)];
  const links = [{ name: 'Ana' }, { name: 'Bo' }, { name: 'Cem' }];
  const people = [...links, { userId: invited.id }, { userId: removed.id }];
  const { data } = await invite(api, organizer, event, people);
  const [ofGuest = '', ofHolder = '', ofRemoved = ''] = data.map(({ url }) => url?.split('/').at(-1) ?? '');
  const answer = (link: string, token?: string) =>
    api.call('POST', '/v1/invitation/answer', {
      ...{ headers: { 'invitation-token': link }, token, body: { status: 'going' } },
    });
  const { body: guest } = expectStatus(await answer(ofGuest), 200);
  expectStatus(await answer(ofRemoved, removed.token), 200);
  await rsvpGoing(api, removed, event);
  expectStatus(await api.delete(`/v1/events/${event}/guests/${removed.id}`, organizer.token), 200);
  const callers = {
    'guest token': { token: guest.guestToken, link: ofGuest },
    invited: { token: invited.token, link: '' },
    link: { token: holder.token, link: ofHolder },
    removed: { token: removed.token, link: ofRemoved },
  };
  return { event, item, organizer: organizer.id, callers };
}

/** `atPrivate`, `atPublic`: the response of each role. */
type Row = {
  request: string;
  body?: object;
  withLink?: true;
  atPrivate: readonly string[];
  atPublic: readonly string[];
};

const hidden = '404 event_not_found';
const noItem = '404 item_not_found';
const session = '403 guest_session';
const organizers = {
  atPrivate: [session, '403 not_organizer', hidden, hidden],
  atPublic: [session, '403 not_organizer', '403 not_organizer', '403 not_organizer'],
};
const seen = { atPrivate: ['200', '200', hidden, hidden], atPublic: ['200', '200', '200', '200'] };
const removed = '403 removed_from_event';

const reads: Row[] = [
  { request: 'GET /v1/events/:event', ...seen },
  { request: 'GET /v1/events/:event/items', ...seen },
  { request: 'GET /v1/events/:event/announcements', ...seen },
  { request: 'GET /v1/events/:event/calendar.ics', ...seen },
  { request: 'GET /v1/events/:event/live', ...seen },
  {
    request: 'GET /v1/events/:event/guests',
    atPrivate: ['200', '403 guest_list_private', hidden, hidden],
    atPublic: ['200', '403 guest_list_private', '403 guest_list_private', '403 guest_list_private'],
  },
  {
    request: 'GET /v1/events/:event/comments',
    atPrivate: ['200', '200', hidden, hidden],
    atPublic: ['200', '200', '403 comments_private', '403 comments_private'],
  },
  {
    request: 'GET /v1/events/:event/booking',
    atPrivate: ['404 booking_not_found', '404 booking_not_found', hidden, hidden],
    atPublic: [
      '404 booking_not_found',
      '404 booking_not_found',
      '404 booking_not_found',
      '404 booking_not_found',
    ],
  },
  {
    request: 'GET /v1/events/:event/guest',
    atPrivate: ['200', '404 guest_not_found', '404 guest_not_found', '404 guest_not_found'],
    atPublic: ['200', '404 guest_not_found', '404 guest_not_found', '404 guest_not_found'],
  },
  {
    request: 'GET /v1/invitation',
    withLink: true,
    atPrivate: ['200', '404 invitation_not_found', '200', '404 invitation_not_found'],
    atPublic: ['200', '404 invitation_not_found', '200', '404 invitation_not_found'],
  },
  ...[
    'GET /v1/events/:event/bookings',
    'GET /v1/events/:event/claims',
    'GET /v1/events/:event/guests.csv',
    'GET /v1/events/:event/invitations',
    'GET /v1/events/:event/requests',
    'GET /v1/events/:event/mails',
    'GET /v1/events/:event/announcements/recipients',
    'POST /v1/events/:event/invitations/remind',
    'DELETE /v1/events/:event/guests/:organizer',
  ].map((request) => ({ request, ...organizers })),
  { request: 'POST /v1/events/:event/announcements', body: { text: 'x' }, ...organizers },
  { request: 'POST /v1/events/:event/guests', body: { guests: [{ name: 'x' }] }, ...organizers },
  { request: 'POST /v1/events/:event/invitations', body: { people: [{ name: 'x' }] }, ...organizers },
  { request: 'PATCH /v1/events/:event', body: { title: 'x' }, ...organizers },
  {
    request: 'GET /v1/me/invitations',
    atPrivate: [session, '200', '200', '200'],
    atPublic: [session, '200', '200', '200'],
  },
];

/** Each on an event of its own. */
const writes: Row[] = [
  {
    request: 'POST /v1/events/:event/rsvp',
    body: { status: 'interested' },
    atPrivate: ['200', '200', hidden, hidden],
    atPublic: ['200', '200', '200', removed],
  },
  {
    request: 'POST /v1/events/:event/rsvp',
    body: { status: 'declined' },
    atPrivate: ['403 not_invited', '200', hidden, hidden],
    atPublic: ['403 not_invited', '200', '403 not_invited', '403 not_invited'],
  },
  {
    request: 'POST /v1/events/:event/rsvp',
    body: { status: null },
    ...seen,
  },
  {
    request: 'POST /v1/items/:item/claim',
    body: { quantity: 1 },
    atPrivate: ['201', '403 rsvp_required', noItem, noItem],
    atPublic: ['201', '403 rsvp_required', '403 rsvp_required', removed],
  },
  {
    request: 'POST /v1/events/:event/booking',
    body: { seats: 1 },
    atPrivate: ['201', '201', hidden, hidden],
    atPublic: ['201', '201', '201', removed],
  },
  {
    request: 'POST /v1/events/:event/comments',
    body: { text: 'x' },
    atPrivate: ['201', '201', hidden, hidden],
    atPublic: ['201', '201', '403 comments_private', '403 comments_private'],
  },
  {
    request: 'POST /v1/events/:event/save',
    body: { saved: true },
    atPrivate: [session, '200', hidden, hidden],
    atPublic: [session, '200', '200', '200'],
  },
  {
    request: 'POST /v1/invitation/answer',
    body: { status: 'going' },
    withLink: true,
    // A guest token does not count there: the link is that of the guest.
    atPrivate: ['200', '404 invitation_not_found', '200', '404 invitation_not_found'],
    atPublic: ['200', '404 invitation_not_found', '200', '404 invitation_not_found'],
  },
];

async function ask({ event, item, callers, ...scene }: Scene, role: Role, row: Row): Promise<string> {
  const [method = '', template = ''] = row.request.split(' ');
  const path = template
    .replace(':event', event)
    .replace(':item', item)
    .replace(':organizer', scene.organizer);
  const { token, link } = callers[role];
  const headers = row.withLink && link !== '' ? { 'invitation-token': link } : {};
  const { status, body } = await api.call(method, path, {
    token,
    headers,
    ...(row.body !== undefined && { body: row.body }),
  });
  return status < 400 ? `${status}` : `${status} ${body.code}`;
}

for (const visibility of ['private', 'public'] as const) {
  const expected = (row: Row) => (visibility === 'private' ? row.atPrivate : row.atPublic);
  test(`access: at a ${visibility} event, what guests with a token, invited accounts, holders of a link and removed guests read`, async () => {
    const scene = await createScene(visibility);
    for (const row of reads) {
      const found = [];
      for (const role of roles) found.push(await ask(scene, role, row));
      assert.deepEqual(found, expected(row), row.request);
    }
  });

  test(`access: at a ${visibility} event, what guests with a token, invited accounts, holders of a link and removed guests write`, async () => {
    for (const row of writes) {
      const scene = await createScene(visibility);
      const found = [];
      for (const role of roles) found.push(await ask(scene, role, row));
      assert.deepEqual(found, expected(row), `${row.request} ${JSON.stringify(row.body)}`);
    }
  });
}
