/** Who may do what: the table that test/access-matrix.test.ts and the torture `matrix` play. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  createAdmin,
  createEvent,
  createItem,
  createUpload,
  createUser,
  deleteAccount,
  eventBody,
  nextPhone,
  onePixelPng,
  type Person,
} from './factories.ts';
import { type Api, expectStatus } from './setup.ts';

/**
 * Every route × everybody who may come along. A cell is a status; a route without a row fails, and so does a row
 * without a route. The event belongs to `organizer`, who has blocked `blocked`.
 */
export const roles = [
  'nobody',
  'bad token',
  'stranger',
  'blocked',
  'organizer',
  'other organizer',
  'admin',
  'deleted',
] as const;
export type Role = (typeof roles)[number];

const anyone = [200, 200, 200, 200, 200, 200, 200, 200];
const everyoneWithToken = (status: number) => [401, 401, status, status, status, status, status, 401];
/** 200 without a token, 401 with one that is not valid. */
const optional = [200, 401, 200, 200, 200, 200, 200, 401];
const ownersOnly = (status: number) => [401, 401, 403, 403, status, 403, status, 401];
const adminsOnly = (status: number) => [401, 401, 403, 403, 403, 403, status, 401];
const hiddenFromOthers = (status: number) => [401, 401, 404, 404, status, 404, status, 401];

export type PeopleByRole = Record<Role, Person | null>;
type Scene = {
  api: Api;
  organizer: Person;
  event: string;
  item: string;
  caller: Person | null;
  sessionOf: (person: Person) => Promise<string>;
};
export type AccessRow = {
  statuses: number[];
  /** Default: the path with the ids of the scene. */
  path?: (scene: Scene) => string | Promise<string>;
  body?: (scene: Scene) => unknown;
  /** In place of a JSON body. */
  image?: Buffer<ArrayBuffer>;
  event?: Record<string, unknown>;
  /** Brings the caller into the state that the row is about. */
  before?: (scene: Scene) => Promise<unknown>;
  /** The call ends the caller's session or account: everybody gets a fresh one. */
  spends?: true;
};

const privately = { event: { visibility: 'private' } };
const goes = {
  before: async ({ api, caller, event }: Scene) =>
    caller && api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' }),
};
const claimed = {
  before: async ({ api, caller, event, item }: Scene) => {
    if (!caller) return;
    await api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' });
    await api.post(`/v1/items/${item}/claim`, caller.token, { quantity: 1 });
  },
};
const claim = { body: () => ({ quantity: 1 }) };
const booking = { body: () => ({ seats: 1 }) };
const booked = {
  before: async ({ api, caller, event }: Scene) =>
    caller && api.post(`/v1/events/${event}/booking`, caller.token, { seats: 1 }),
};
const rsvp = { body: () => ({ status: 'going' }) };
const save = { body: () => ({ saved: true }) };
const newItem = { body: () => ({ title: 'Plates', kind: 'bring', quantityNeeded: 2 }) };
const atSomebody = (tail: string) => ({
  path: async ({ api }: Scene) => `/v1/admin/users/${(await createUser(api)).id}${tail}`,
});
const atOrganizer = (tail: string) => ({
  path: ({ organizer }: Scene) => `/v1/users/${organizer.id}${tail}`,
});

const ofUpload = (tail = '') => ({
  path: async ({ api, organizer }: Scene) => `/v1/uploads/${(await createUpload(api, organizer)).id}${tail}`,
});

/** The organizer's profile is private, and they follow nobody. */
const forFriends = {
  statuses: [403, 401, 403, 403, 200, 403, 200, 401],
  before: ({ api, organizer }: Scene) => api.patch('/v1/me', organizer.token, { isPrivate: true }),
  spends: true as const,
};

/** One for each route and state, by method and path and, in brackets, the state. */
export const accessRows: Record<string, AccessRow> = {
  'GET /healthz': { statuses: anyone },
  'GET /readyz': { statuses: anyone },
  'GET /metrics': { statuses: anyone },

  'POST /v1/auth/otp/request': { statuses: Array(8).fill(202), body: () => ({ phone: nextPhone() }) },
  'POST /v1/auth/otp/verify': {
    statuses: anyone,
    body: async ({ api }) => {
      const phone = nextPhone();
      const { body } = await api.post('/v1/auth/otp/request', undefined, { phone });
      return { phone, code: body.devCode };
    },
  },
  'POST /v1/auth/refresh': {
    statuses: anyone,
    body: async ({ api }) => ({ refreshToken: (await createUser(api)).refreshToken }),
  },
  "POST /v1/auth/refresh (the caller's own)": {
    statuses: [401, 401, 200, 200, 200, 200, 200, 401],
    path: () => '/v1/auth/refresh',
    body: ({ caller }) => ({ refreshToken: caller?.refreshToken ?? 'pr_none' }),
    spends: true,
  },
  'POST /v1/auth/logout': { statuses: everyoneWithToken(200), spends: true },
  'GET /v1/auth/me': { statuses: everyoneWithToken(200) },
  'GET /v1/auth/sessions': { statuses: everyoneWithToken(200) },
  "DELETE /v1/auth/sessions/{id} (the caller's own)": {
    statuses: everyoneWithToken(200),
    path: async ({ caller, sessionOf }) =>
      `/v1/auth/sessions/${caller ? await sessionOf(caller) : randomUUID()}`,
    spends: true,
  },
  'DELETE /v1/auth/sessions/{id} (another person’s)': {
    statuses: everyoneWithToken(404),
    path: async ({ api, sessionOf }) => `/v1/auth/sessions/${await sessionOf(await createUser(api))}`,
  },

  'PATCH /v1/me': { statuses: everyoneWithToken(200), body: () => ({ city: 'Oslo' }) },
  'POST /v1/me/delete-code': { statuses: everyoneWithToken(202) },
  'DELETE /v1/me': {
    statuses: everyoneWithToken(200),
    body: async ({ api, caller }) => {
      const { body } = await api.post('/v1/me/delete-code', caller?.token);
      return { confirmCode: body.devCode ?? '000000' };
    },
    spends: true,
  },

  'GET /v1/me/events': {
    statuses: everyoneWithToken(200),
    path: () => '/v1/me/events?relation=organizing',
  },
  'GET /v1/me/export': { statuses: everyoneWithToken(200) },
  'GET /v1/me/claims': { statuses: everyoneWithToken(200) },
  'GET /v1/me/blocks': { statuses: everyoneWithToken(200) },

  'GET /v1/users/search': { statuses: everyoneWithToken(200), path: () => '/v1/users/search?q=guest' },
  'GET /v1/users/{id}': { statuses: optional, ...atOrganizer('') },
  'GET /v1/users/{id} (private)': {
    statuses: [403, 401, 403, 403, 200, 403, 200, 401],
    path: ({ organizer }) => `/v1/users/${organizer.id}`,
    before: ({ api, organizer }) => api.patch('/v1/me', organizer.token, { isPrivate: true }),
    spends: true,
  },
  'GET /v1/users/{id}/followers': { statuses: optional, ...atOrganizer('/followers') },
  'GET /v1/users/{id}/followers (private)': { ...forFriends, ...atOrganizer('/followers') },
  'GET /v1/users/{id}/following': { statuses: optional, ...atOrganizer('/following') },
  'GET /v1/users/{id}/following (private)': { ...forFriends, ...atOrganizer('/following') },
  'GET /v1/users/{id}/events': { statuses: optional, ...atOrganizer('/events') },
  'GET /v1/users/{id}/events (private)': { ...forFriends, ...atOrganizer('/events') },
  'GET /v1/users/{id}/avatar.svg': { statuses: anyone, ...atOrganizer('/avatar.svg') },
  'POST /v1/users/{id}/follow': {
    statuses: [401, 401, 200, 403, 400, 200, 200, 401],
    ...atOrganizer('/follow'),
  },
  'DELETE /v1/users/{id}/follow': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...atOrganizer('/follow'),
  },
  'POST /v1/users/{id}/block': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...atOrganizer('/block'),
    spends: true,
  },
  'DELETE /v1/users/{id}/block': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...atOrganizer('/block'),
  },

  'POST /v1/uploads': { statuses: everyoneWithToken(201), image: onePixelPng },
  'GET /v1/uploads/{id}.webp': { statuses: anyone, ...ofUpload('.webp') },
  'DELETE /v1/uploads/{id}': { statuses: ownersOnly(200), ...ofUpload() },

  'POST /v1/users/{id}/messages': {
    statuses: [401, 401, 201, 403, 400, 201, 201, 401],
    ...atOrganizer('/messages'),
    body: () => ({ text: 'Shall I bring a second loaf?' }),
  },
  'GET /v1/users/{id}/messages': { statuses: everyoneWithToken(200), ...atOrganizer('/messages') },
  'POST /v1/users/{id}/messages/read': {
    statuses: everyoneWithToken(200),
    ...atOrganizer('/messages/read'),
  },
  'GET /v1/conversations': { statuses: everyoneWithToken(200) },

  'GET /v1/categories': { statuses: anyone },
  'GET /v1/templates': { statuses: anyone },
  'GET /v1/events': { statuses: optional },
  'GET /v1/feed': { statuses: everyoneWithToken(200) },
  'GET /v1/events/search': { statuses: optional, path: () => '/v1/events/search?q=harbour' },
  'GET /v1/events/{id}': { statuses: optional },
  'GET /v1/events/{id} (unlisted)': { statuses: optional, event: { visibility: 'unlisted' } },
  'GET /v1/events/{id} (private)': { statuses: [404, 401, 404, 404, 200, 404, 200, 401], ...privately },
  'GET /v1/events/{id}/cover.svg': { statuses: anyone },
  'GET /v1/events.ics': { statuses: optional },
  'GET /v1/events/{id}/calendar.ics': { statuses: optional },
  'GET /v1/events/{id}/calendar.ics (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privately,
  },
  'POST /v1/me/calendar': { statuses: everyoneWithToken(201) },
  'GET /v1/me/calendar': { statuses: everyoneWithToken(200) },
  'DELETE /v1/me/calendar': { statuses: everyoneWithToken(200) },
  'GET /v1/calendars/{secret}.ics': {
    statuses: anyone,
    path: async ({ api, organizer }) => {
      const { body } = await api.post('/v1/me/calendar', organizer.token);
      return new URL(body.url).pathname;
    },
  },
  'GET /v1/calendars/{secret}.ics (unknown)': {
    statuses: Array(8).fill(404),
    path: () => `/v1/calendars/pc_${'A'.repeat(54)}.ics`,
  },
  'GET /v1/events/{id}/live': { statuses: optional },
  'GET /v1/events/{id}/live (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privately,
  },
  'POST /v1/events': { statuses: everyoneWithToken(201), body: () => eventBody() },
  'PATCH /v1/events/{id}': { statuses: ownersOnly(200), body: () => ({ title: 'Moved indoors' }) },
  'PATCH /v1/events/{id} (private)': {
    statuses: hiddenFromOthers(200),
    body: () => ({ title: 'Draft' }),
    ...privately,
  },
  'DELETE /v1/events/{id}': { statuses: ownersOnly(200) },
  'DELETE /v1/events/{id} (private)': { statuses: hiddenFromOthers(200), ...privately },
  'POST /v1/events/{id}/rsvp': { statuses: everyoneWithToken(200), ...rsvp },
  'POST /v1/events/{id}/rsvp (private)': { statuses: hiddenFromOthers(200), ...rsvp, ...privately },
  'POST /v1/events/{id}/save': { statuses: everyoneWithToken(200), ...save },
  'POST /v1/events/{id}/save (private)': { statuses: hiddenFromOthers(200), ...save, ...privately },

  'POST /v1/events/{id}/booking': { statuses: everyoneWithToken(201), ...booking },
  'POST /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(201), ...booking, ...privately },
  'GET /v1/events/{id}/booking (without one)': { statuses: everyoneWithToken(404) },
  'GET /v1/events/{id}/booking (with one)': { statuses: everyoneWithToken(200), ...booked },
  'GET /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(200), ...booked, ...privately },
  'PATCH /v1/events/{id}/booking (without one)': { statuses: everyoneWithToken(404), ...booking },
  'PATCH /v1/events/{id}/booking (with one)': { statuses: everyoneWithToken(200), ...booking, ...booked },
  'PATCH /v1/events/{id}/booking (private)': {
    statuses: hiddenFromOthers(200),
    ...booking,
    ...booked,
    ...privately,
  },
  'DELETE /v1/events/{id}/booking (without one)': { statuses: everyoneWithToken(404) },
  'DELETE /v1/events/{id}/booking (with one)': { statuses: everyoneWithToken(200), ...booked },
  'DELETE /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(200), ...booked, ...privately },
  'GET /v1/events/{id}/bookings': { statuses: ownersOnly(200) },
  'GET /v1/events/{id}/bookings (private)': { statuses: hiddenFromOthers(200), ...privately },

  'GET /v1/events/{id}/items': { statuses: optional },
  'GET /v1/events/{id}/items (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privately,
  },
  'POST /v1/events/{id}/items': { statuses: ownersOnly(201), ...newItem },
  'POST /v1/events/{id}/items (private)': { statuses: hiddenFromOthers(201), ...newItem, ...privately },
  'PATCH /v1/items/{id}': { statuses: ownersOnly(200), body: () => ({ title: 'Paper plates' }) },
  'PATCH /v1/items/{id} (private)': {
    statuses: hiddenFromOthers(200),
    body: () => ({ title: 'Paper plates' }),
    ...privately,
  },
  'GET /v1/items/{id}/claims': { statuses: ownersOnly(200) },
  'GET /v1/items/{id}/claims (private)': { statuses: hiddenFromOthers(200), ...privately },
  'GET /v1/events/{id}/claims': { statuses: ownersOnly(200) },
  'GET /v1/events/{id}/claims (private)': { statuses: hiddenFromOthers(200), ...privately },
  'DELETE /v1/items/{id}': { statuses: ownersOnly(200) },
  'DELETE /v1/items/{id} (private)': { statuses: hiddenFromOthers(200), ...privately },
  'POST /v1/items/{id}/claim (without RSVP)': { statuses: everyoneWithToken(403), ...claim },
  'POST /v1/items/{id}/claim (going)': { statuses: everyoneWithToken(201), ...claim, ...goes },
  'POST /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 201, 404, 201, 401],
    ...claim,
    ...goes,
    ...privately,
  },
  'PATCH /v1/items/{id}/claim (without one)': { statuses: everyoneWithToken(404), ...claim },
  'PATCH /v1/items/{id}/claim (with one)': { statuses: everyoneWithToken(200), ...claim, ...claimed },
  'PATCH /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 200, 404, 200, 401],
    ...claim,
    ...claimed,
    ...privately,
  },
  'DELETE /v1/items/{id}/claim (without one)': { statuses: everyoneWithToken(404) },
  'DELETE /v1/items/{id}/claim (with one)': { statuses: everyoneWithToken(200), ...claimed },
  'DELETE /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 200, 404, 200, 401],
    ...claimed,
    ...privately,
  },

  'POST /v1/reports': {
    statuses: [401, 401, 201, 201, 400, 201, 201, 401],
    body: ({ event }) => ({ subject: { type: 'event', id: event }, reason: 'spam' }),
  },
  'POST /v1/reports (private)': {
    statuses: [401, 401, 404, 404, 400, 404, 201, 401],
    body: ({ event }) => ({ subject: { type: 'event', id: event }, reason: 'spam' }),
    ...privately,
  },
  'GET /v1/admin/reports': { statuses: adminsOnly(200) },
  'PATCH /v1/admin/reports/{id}': {
    statuses: adminsOnly(200),
    path: async ({ api, event }) => {
      const body = { subject: { type: 'event', id: event }, reason: 'spam' };
      const report = await api.post('/v1/reports', (await createUser(api)).token, body);
      return `/v1/admin/reports/${report.body.id}`;
    },
    body: () => ({ status: 'resolved' }),
  },

  'GET /v1/admin/users': { statuses: adminsOnly(200) },
  'POST /v1/admin/users/{id}/suspend': {
    statuses: adminsOnly(200),
    body: () => ({ reason: 'Spam' }),
    ...atSomebody('/suspend'),
  },
  'DELETE /v1/admin/users/{id}/suspend': { statuses: adminsOnly(200), ...atSomebody('/suspend') },
  'PUT /v1/admin/users/{id}/role': {
    statuses: adminsOnly(200),
    body: () => ({ role: 'user' }),
    ...atSomebody('/role'),
  },
  'GET /v1/admin/flags': { statuses: adminsOnly(200) },
  'PUT /v1/admin/flags/{name}': {
    statuses: adminsOnly(200),
    path: () => '/v1/admin/flags/signUps',
    body: () => ({ enabled: true }),
  },
  'GET /v1/admin/audit': { statuses: adminsOnly(200) },
};

/** A row's name without what it says in brackets. */
export const routeOf = (name: string): string => name.replace(/ \(.*\)$/, '');

/** Everybody, with the sessions and relations that the rows expect of them. */
export async function createPeopleByRole(
  api: Api,
  needed: readonly Role[] = roles,
): Promise<PeopleByRole & { organizer: Person }> {
  const personFor = async (role: Role) => (needed.includes(role) ? createUser(api) : null);
  const [organizer, stranger, blocked, other, admin, deleted] = await Promise.all([
    createUser(api),
    personFor('stranger'),
    personFor('blocked'),
    personFor('other organizer'),
    needed.includes('admin') ? createAdmin(api) : null,
    personFor('deleted'),
  ]);
  if (other) await createEvent(api, other);
  if (blocked) expectStatus(await api.post(`/v1/users/${blocked.id}/block`, organizer.token), 200);
  if (deleted) expectStatus(await deleteAccount(api, deleted), 200);
  return {
    nobody: null,
    'bad token': null,
    stranger,
    blocked,
    organizer,
    'other organizer': other,
    admin,
    deleted,
  };
}

export const tokenOf = (cast: PeopleByRole, as: Role): string | undefined =>
  as === 'bad token' ? 'pa_not-a-token' : cast[as]?.token;

/** Plays one cell on an event of its own and gives the status. */
export async function sendAs(
  api: Api,
  stage: PeopleByRole,
  name: string,
  row: AccessRow,
  as: Role,
): Promise<number> {
  const cast = row.spends ? await createPeopleByRole(api, [as]) : stage;
  const organizer = cast.organizer;
  assert.ok(organizer);
  const { needsEvent, needsItem } = needsOf(name, row);
  const event = needsEvent ? (await createEvent(api, organizer, row.event)).id : randomUUID();
  const item = needsItem ? (await createItem(api, organizer, event)).id : randomUUID();
  const sessionOf = (person: Person) => firstSession(api, person);
  const scene: Scene = { api, organizer, event, item, caller: cast[as], sessionOf };
  await row.before?.(scene);
  const [method = '', template = ''] = routeOf(name).split(' ');
  const path =
    (await row.path?.(scene)) ?? template.replace('{id}', template.startsWith('/v1/items') ? item : event);
  const body = await row.body?.(scene);
  const image = row.image && { raw: row.image, headers: { 'content-type': 'image/png' } };
  return (await api.call(method, path, { token: tokenOf(cast, as), body, ...image })).status;
}

/** What the call of a row may refer to: half of the rows have no event, and most no item. */
function needsOf(name: string, { path, before, body }: AccessRow) {
  // A function without parameters uses nothing of the scene.
  const usesScene = [path, before, body].some((prepare) => prepare && prepare.length > 0);
  const needsItem = usesScene || name.includes(' /v1/items');
  return { needsEvent: needsItem || name.includes(' /v1/events/{id}'), needsItem };
}

async function firstSession(api: Api, person: Person): Promise<string> {
  const { body } = await api.get('/v1/auth/sessions', person.token);
  return body.data?.[0]?.id ?? randomUUID();
}
