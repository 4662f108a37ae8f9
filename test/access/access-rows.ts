/**
 * The access rules: the statuses of every endpoint for every role. Used by test/access/access-matrix.test.ts and by
 * the torture program `matrix`.
 */
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
  fromPage,
  nextPhone,
  onePixelPng,
  type Person,
  requestCode,
  signInBrowser,
} from '../support/factories.ts';
import { Browser } from '../support/push-browser.ts';
import { type Api, type ApiResponse, expectStatus } from '../support/setup.ts';

/**
 * The columns of the access matrix. Each row lists one status for each role. The test fails if a route has no
 * row or a row has no route. The event belongs to `organizer`, who has blocked `blocked`.
 */
const listedRoles = [
  'anonymous',
  'bad token',
  'stranger',
  'blocked',
  'organizer',
  'other organizer',
  'admin',
  'deleted',
] as const;
/** A stranger with a browser session instead of a token, whose request a page of this or another site sends. */
const browserRoles = ['cookie', 'cookie of another site'] as const;
export const roles = [...listedRoles, ...browserRoles];
export type Role = (typeof roles)[number];

/**
 * The expected status of each role. A cookie equals the token of a stranger. From another site, it is ignored for
 * GET and refused for other methods, unless the endpoint reads no token.
 */
export function expectedStatuses(name: string, { statuses, browserStatuses }: AccessRow): number[] {
  if (browserStatuses) return [...statuses, ...browserStatuses];
  const [anonymous = 0, , stranger = 0] = statuses;
  const isRefused = !name.startsWith('GET ') && anonymous === 401;
  return [...statuses, stranger, isRefused ? 403 : anonymous];
}

const statusForAll = [200, 200, 200, 200, 200, 200, 200, 200];
const withToken = (status: number) => [401, 401, status, status, status, status, status, 401];
/** 200 without a token, 401 with an invalid token. */
const optionalToken = [200, 401, 200, 200, 200, 200, 200, 401];
const ownersOnly = (status: number) => [401, 401, 403, 403, status, 403, status, 401];
const adminsOnly = (status: number) => [401, 401, 403, 403, 403, 403, status, 401];
const hiddenFromOthers = (status: number) => [401, 401, 404, 404, status, 404, status, 401];

type BrowserPerson = Person & { cookie: string };
export type PeopleByRole = Record<(typeof listedRoles)[number], Person | null> &
  Record<(typeof browserRoles)[number], BrowserPerson | null>;
type RowContext = {
  api: Api;
  organizer: Person;
  event: string;
  item: string;
  caller: Person | null;
  sessionOf: (person: Person) => Promise<string>;
};
export type AccessRow = {
  statuses: number[];
  /** The statuses of the two kinds of requests with a cookie, if they do not follow from `statuses`. */
  browserStatuses?: [sameOrigin: number, otherSite: number];
  headers?: Record<string, string>;
  /** Default: the path of the route, with the id of the context's event or item. */
  path?: (context: RowContext) => string | Promise<string>;
  body?: (context: RowContext) => unknown;
  /** An image as the body, instead of JSON. */
  image?: Buffer<ArrayBuffer>;
  event?: Record<string, unknown>;
  /** Creates the state that the row tests. */
  before?: (context: RowContext) => Promise<unknown>;
  /** The call ends a session or an account, so it uses people of its own. */
  needsFreshPeople?: true;
};

const privateEvent = { event: { visibility: 'private' } };
const going = {
  before: async ({ api, caller, event }: RowContext) =>
    caller && api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' }),
};
const claimed = {
  before: async ({ api, caller, event, item }: RowContext) => {
    if (!caller) return;
    await api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' });
    await api.post(`/v1/items/${item}/claim`, caller.token, { quantity: 1 });
  },
};
const claim = { body: () => ({ quantity: 1 }) };
const booking = { body: () => ({ seats: 1 }) };
const booked = {
  before: async ({ api, caller, event }: RowContext) =>
    caller && api.post(`/v1/events/${event}/booking`, caller.token, { seats: 1 }),
};
const rsvp = { body: () => ({ status: 'going' }) };
const save = { body: () => ({ saved: true }) };
const newItem = { body: () => ({ title: 'Plates', kind: 'bring', quantityNeeded: 2 }) };
const newItems = { body: () => ({ items: [newItem.body()] }) };
const eventCopy = { body: () => ({ startAt: '2040-05-01T18:00:00Z' }) };
const ofNewUser = (tail: string) => ({
  path: async ({ api }: RowContext) => `/v1/admin/users/${(await createUser(api)).id}${tail}`,
});
const ofOrganizer = (tail: string) => ({
  path: ({ organizer }: RowContext) => `/v1/users/${organizer.id}${tail}`,
});

const ofUpload = (tail = '') => ({
  path: async ({ api, organizer }: RowContext) =>
    `/v1/uploads/${(await createUpload(api, organizer)).id}${tail}`,
});

/** The organizer's profile is private, and the organizer follows no other account. */
const privateProfile = {
  statuses: [403, 401, 403, 403, 200, 403, 200, 401],
  before: ({ api, organizer }: RowContext) => api.patch('/v1/me', organizer.token, { isPrivate: true }),
  needsFreshPeople: true as const,
};

/** One row for each route and state. The key is the method, the path and, in brackets, the state. */
export const accessRows: Record<string, AccessRow> = {
  'GET /healthz': { statuses: statusForAll },
  'GET /readyz': { statuses: statusForAll },
  'GET /metrics': { statuses: statusForAll },

  'POST /v1/auth/otp/request': { statuses: Array(8).fill(202), body: () => ({ phone: nextPhone() }) },
  'POST /v1/auth/otp/verify': {
    statuses: statusForAll,
    body: async ({ api }) => {
      const phone = nextPhone();
      const { body } = await api.post('/v1/auth/otp/request', undefined, { phone });
      return { phone, code: body.devCode };
    },
  },
  'POST /v1/auth/browser-session': {
    statuses: statusForAll,
    browserStatuses: [200, 403],
    headers: fromPage,
    body: async ({ api }) => {
      const phone = nextPhone();
      return { phone, code: await requestCode(api, phone) };
    },
  },
  'POST /v1/auth/browser-session (not from a page of this server)': {
    statuses: Array(8).fill(403),
    browserStatuses: [200, 403],
    path: () => '/v1/auth/browser-session',
    body: async ({ api }) => {
      const phone = nextPhone();
      return { phone, code: await requestCode(api, phone) };
    },
  },
  'POST /v1/auth/refresh': {
    statuses: statusForAll,
    body: async ({ api }) => ({ refreshToken: (await createUser(api)).refreshToken }),
  },
  "POST /v1/auth/refresh (the caller's own)": {
    statuses: [401, 401, 200, 200, 200, 200, 200, 401],
    browserStatuses: [200, 200],
    path: () => '/v1/auth/refresh',
    body: ({ caller }) => ({ refreshToken: caller?.refreshToken ?? 'pr_none' }),
    needsFreshPeople: true,
  },
  'POST /v1/auth/logout': { statuses: withToken(200), needsFreshPeople: true },
  'GET /v1/auth/me': { statuses: withToken(200) },
  'GET /v1/auth/sessions': { statuses: withToken(200) },
  "DELETE /v1/auth/sessions/{id} (the caller's own)": {
    statuses: withToken(200),
    path: async ({ caller, sessionOf }) =>
      `/v1/auth/sessions/${caller ? await sessionOf(caller) : randomUUID()}`,
    needsFreshPeople: true,
  },
  'DELETE /v1/auth/sessions/{id} (another person’s)': {
    statuses: withToken(404),
    path: async ({ api, sessionOf }) => `/v1/auth/sessions/${await sessionOf(await createUser(api))}`,
  },

  'PATCH /v1/me': { statuses: withToken(200), body: () => ({ city: 'Oslo' }) },
  'POST /v1/me/delete-code': { statuses: withToken(202) },
  'DELETE /v1/me': {
    statuses: withToken(200),
    body: async ({ api, caller }) => {
      const { body } = await api.post('/v1/me/delete-code', caller?.token);
      return { confirmCode: body.devCode ?? '000000' };
    },
    needsFreshPeople: true,
  },

  'GET /v1/me/events': {
    statuses: withToken(200),
    path: () => '/v1/me/events?relation=organizing',
  },
  'GET /v1/me/export': { statuses: withToken(200) },
  'GET /v1/me/claims': { statuses: withToken(200) },
  'GET /v1/me/blocks': { statuses: withToken(200) },

  'GET /v1/users/search': { statuses: withToken(200), path: () => '/v1/users/search?q=guest' },
  'GET /v1/users/{id}': { statuses: optionalToken, ...ofOrganizer('') },
  'GET /v1/users/{id} (private)': {
    statuses: [403, 401, 403, 403, 200, 403, 200, 401],
    path: ({ organizer }) => `/v1/users/${organizer.id}`,
    before: ({ api, organizer }) => api.patch('/v1/me', organizer.token, { isPrivate: true }),
    needsFreshPeople: true,
  },
  'GET /v1/users/{id}/followers': { statuses: optionalToken, ...ofOrganizer('/followers') },
  'GET /v1/users/{id}/followers (private)': { ...privateProfile, ...ofOrganizer('/followers') },
  'GET /v1/users/{id}/following': { statuses: optionalToken, ...ofOrganizer('/following') },
  'GET /v1/users/{id}/following (private)': { ...privateProfile, ...ofOrganizer('/following') },
  'GET /v1/users/{id}/events': { statuses: optionalToken, ...ofOrganizer('/events') },
  'GET /v1/users/{id}/events (private)': { ...privateProfile, ...ofOrganizer('/events') },
  'GET /v1/users/{id}/avatar.svg': { statuses: statusForAll, ...ofOrganizer('/avatar.svg') },
  'POST /v1/users/{id}/follow': {
    statuses: [401, 401, 200, 403, 400, 200, 200, 401],
    ...ofOrganizer('/follow'),
  },
  'DELETE /v1/users/{id}/follow': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...ofOrganizer('/follow'),
  },
  'POST /v1/users/{id}/block': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...ofOrganizer('/block'),
    needsFreshPeople: true,
  },
  'DELETE /v1/users/{id}/block': {
    statuses: [401, 401, 200, 200, 400, 200, 200, 401],
    ...ofOrganizer('/block'),
  },

  'POST /v1/uploads': { statuses: withToken(201), image: onePixelPng },
  'GET /v1/uploads/{id}.webp': { statuses: statusForAll, ...ofUpload('.webp') },
  'DELETE /v1/uploads/{id}': { statuses: ownersOnly(200), ...ofUpload() },

  'POST /v1/users/{id}/messages': {
    statuses: [401, 401, 201, 403, 400, 201, 201, 401],
    ...ofOrganizer('/messages'),
    body: () => ({ text: 'Shall I bring a second loaf?' }),
  },
  'GET /v1/users/{id}/messages': { statuses: withToken(200), ...ofOrganizer('/messages') },
  'POST /v1/users/{id}/messages/read': {
    statuses: withToken(200),
    ...ofOrganizer('/messages/read'),
  },
  'GET /v1/conversations': { statuses: withToken(200) },

  'GET /v1/places': { statuses: statusForAll, path: () => '/v1/places?q=oslo' },
  'GET /v1/notifications': { statuses: withToken(200) },
  'POST /v1/notifications/read': { statuses: withToken(200), body: () => ({ upTo: randomUUID() }) },
  'POST /v1/notifications/{id}/read': {
    statuses: withToken(404),
    path: () => `/v1/notifications/${randomUUID()}/read`,
  },
  // The URL of the test server is not https (test/notifications/push.test.ts).
  'GET /v1/push/key': { statuses: [403, 403, 403, 403, 403, 403, 403, 403] },
  'POST /v1/push/subscriptions': {
    statuses: withToken(403),
    body: () => new Browser().toJSON(),
  },
  'DELETE /v1/push/subscriptions/{id}': {
    statuses: withToken(404),
    path: () => `/v1/push/subscriptions/${randomUUID()}`,
  },
  'GET /v1/notifications/settings': { statuses: withToken(200) },
  'PATCH /v1/notifications/settings': { statuses: withToken(200), body: () => ({ follower: 'off' }) },

  'GET /v1/categories': { statuses: statusForAll },
  'GET /v1/features': { statuses: statusForAll },
  'GET /v1/templates': { statuses: statusForAll },
  'GET /v1/events': { statuses: optionalToken },
  'GET /v1/feed': { statuses: withToken(200) },
  'GET /v1/events/search': { statuses: optionalToken, path: () => '/v1/events/search?q=harbour' },
  'GET /v1/events/map': {
    statuses: optionalToken,
    path: () => '/v1/events/map?bbox=-180,-90,180,90&zoom=0',
  },
  'GET /v1/events/{id}': { statuses: optionalToken },
  'GET /v1/events/{id} (unlisted)': { statuses: optionalToken, event: { visibility: 'unlisted' } },
  'GET /v1/events/{id} (private)': { statuses: [404, 401, 404, 404, 200, 404, 200, 401], ...privateEvent },
  'GET /v1/events/{id}/cover.svg': { statuses: statusForAll },
  'GET /v1/events.ics': { statuses: optionalToken },
  'GET /v1/events/{id}/calendar.ics': { statuses: optionalToken },
  'GET /v1/events/{id}/calendar.ics (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privateEvent,
  },
  'POST /v1/me/calendar': { statuses: withToken(201) },
  'GET /v1/me/calendar': { statuses: withToken(200) },
  'DELETE /v1/me/calendar': { statuses: withToken(200) },
  'GET /v1/calendars/{secret}.ics': {
    statuses: statusForAll,
    // A person of its own: other rows revoke the calendar of a shared person.
    path: async ({ api }) => {
      const { body } = await api.post('/v1/me/calendar', (await createUser(api)).token);
      return new URL(body.url).pathname;
    },
  },
  'GET /v1/calendars/{secret}.ics (unknown)': {
    statuses: Array(8).fill(404),
    path: () => `/v1/calendars/pc_${'A'.repeat(54)}.ics`,
  },
  'GET /v1/events/{id}/live': { statuses: optionalToken },
  'GET /v1/events/{id}/live (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privateEvent,
  },
  'POST /v1/events': { statuses: withToken(201), body: () => eventBody() },
  'PATCH /v1/events/{id}': { statuses: ownersOnly(200), body: () => ({ title: 'Moved indoors' }) },
  'PATCH /v1/events/{id} (private)': {
    statuses: hiddenFromOthers(200),
    body: () => ({ title: 'Draft' }),
    ...privateEvent,
  },
  'POST /v1/events/{id}/duplicate': { statuses: ownersOnly(201), ...eventCopy },
  'POST /v1/events/{id}/duplicate (private)': {
    statuses: hiddenFromOthers(201),
    ...eventCopy,
    ...privateEvent,
  },
  'DELETE /v1/events/{id}': { statuses: ownersOnly(200) },
  'DELETE /v1/events/{id} (private)': { statuses: hiddenFromOthers(200), ...privateEvent },
  'POST /v1/events/{id}/rsvp': { statuses: withToken(200), ...rsvp },
  'POST /v1/events/{id}/rsvp (private)': { statuses: hiddenFromOthers(200), ...rsvp, ...privateEvent },
  'GET /v1/events/{id}/guests': { statuses: [403, 401, 403, 403, 200, 403, 200, 401] },
  'GET /v1/events/{id}/guests (for guests)': {
    statuses: [403, 401, 200, 200, 200, 200, 200, 401],
    event: { guestListVisibility: 'guests' },
    ...going,
  },
  'GET /v1/events/{id}/guests (for everyone)': {
    statuses: optionalToken,
    event: { guestListVisibility: 'everyone' },
  },
  'GET /v1/events/{id}/guests (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privateEvent,
  },
  'POST /v1/events/{id}/save': { statuses: withToken(200), ...save },
  'POST /v1/events/{id}/save (private)': { statuses: hiddenFromOthers(200), ...save, ...privateEvent },

  'POST /v1/events/{id}/booking': { statuses: withToken(201), ...booking },
  'POST /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(201), ...booking, ...privateEvent },
  'GET /v1/events/{id}/booking (without one)': { statuses: withToken(404) },
  'GET /v1/events/{id}/booking (with one)': { statuses: withToken(200), ...booked },
  'GET /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(200), ...booked, ...privateEvent },
  'PATCH /v1/events/{id}/booking (without one)': { statuses: withToken(404), ...booking },
  'PATCH /v1/events/{id}/booking (with one)': { statuses: withToken(200), ...booking, ...booked },
  'PATCH /v1/events/{id}/booking (private)': {
    statuses: hiddenFromOthers(200),
    ...booking,
    ...booked,
    ...privateEvent,
  },
  'DELETE /v1/events/{id}/booking (without one)': { statuses: withToken(404) },
  'DELETE /v1/events/{id}/booking (with one)': { statuses: withToken(200), ...booked },
  'DELETE /v1/events/{id}/booking (private)': { statuses: hiddenFromOthers(200), ...booked, ...privateEvent },
  'GET /v1/events/{id}/bookings': { statuses: ownersOnly(200) },
  'GET /v1/events/{id}/bookings (private)': { statuses: hiddenFromOthers(200), ...privateEvent },

  'GET /v1/events/{id}/items': { statuses: optionalToken },
  'GET /v1/events/{id}/items (private)': {
    statuses: [404, 401, 404, 404, 200, 404, 200, 401],
    ...privateEvent,
  },
  'POST /v1/events/{id}/items': { statuses: ownersOnly(201), ...newItem },
  'POST /v1/events/{id}/items (private)': { statuses: hiddenFromOthers(201), ...newItem, ...privateEvent },
  'POST /v1/events/{id}/items/batch': { statuses: ownersOnly(201), ...newItems },
  'POST /v1/events/{id}/items/batch (private)': {
    statuses: hiddenFromOthers(201),
    ...newItems,
    ...privateEvent,
  },
  'PATCH /v1/items/{id}': { statuses: ownersOnly(200), body: () => ({ title: 'Paper plates' }) },
  'PATCH /v1/items/{id} (private)': {
    statuses: hiddenFromOthers(200),
    body: () => ({ title: 'Paper plates' }),
    ...privateEvent,
  },
  'GET /v1/items/{id}/claims': { statuses: ownersOnly(200) },
  'GET /v1/items/{id}/claims (private)': { statuses: hiddenFromOthers(200), ...privateEvent },
  'GET /v1/events/{id}/claims': { statuses: ownersOnly(200) },
  'GET /v1/events/{id}/claims (private)': { statuses: hiddenFromOthers(200), ...privateEvent },
  'DELETE /v1/items/{id}': { statuses: ownersOnly(200) },
  'DELETE /v1/items/{id} (private)': { statuses: hiddenFromOthers(200), ...privateEvent },
  'POST /v1/items/{id}/claim (without RSVP)': { statuses: withToken(403), ...claim },
  'POST /v1/items/{id}/claim (going)': { statuses: withToken(201), ...claim, ...going },
  'POST /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 201, 404, 201, 401],
    ...claim,
    ...going,
    ...privateEvent,
  },
  'PATCH /v1/items/{id}/claim (without one)': { statuses: withToken(404), ...claim },
  'PATCH /v1/items/{id}/claim (with one)': { statuses: withToken(200), ...claim, ...claimed },
  'PATCH /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 200, 404, 200, 401],
    ...claim,
    ...claimed,
    ...privateEvent,
  },
  'DELETE /v1/items/{id}/claim (without one)': { statuses: withToken(404) },
  'DELETE /v1/items/{id}/claim (with one)': { statuses: withToken(200), ...claimed },
  'DELETE /v1/items/{id}/claim (private)': {
    statuses: [401, 401, 404, 404, 200, 404, 200, 401],
    ...claimed,
    ...privateEvent,
  },

  'POST /v1/reports': {
    statuses: [401, 401, 201, 201, 400, 201, 201, 401],
    body: ({ event }) => ({ subject: { type: 'event', id: event }, reason: 'spam' }),
  },
  'POST /v1/reports (private)': {
    statuses: [401, 401, 404, 404, 400, 404, 201, 401],
    body: ({ event }) => ({ subject: { type: 'event', id: event }, reason: 'spam' }),
    ...privateEvent,
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
    ...ofNewUser('/suspend'),
  },
  'DELETE /v1/admin/users/{id}/suspend': { statuses: adminsOnly(200), ...ofNewUser('/suspend') },
  'PUT /v1/admin/users/{id}/role': {
    statuses: adminsOnly(200),
    body: () => ({ role: 'user' }),
    ...ofNewUser('/role'),
  },
  'GET /v1/admin/flags': { statuses: adminsOnly(200) },
  'PUT /v1/admin/flags/{name}': {
    statuses: adminsOnly(200),
    path: () => '/v1/admin/flags/signUps',
    body: () => ({ enabled: true }),
  },
  'GET /v1/admin/audit': { statuses: adminsOnly(200) },
};

/** Returns the route of a row's key: the key without the state in brackets. */
export const routeOf = (name: string): string => name.replace(/ \(.*\)$/, '');

/** Creates a person for each of the roles, with the sessions and relations that the rows require. */
export async function createPeopleByRole(
  api: Api,
  needed: readonly Role[] = roles,
): Promise<PeopleByRole & { organizer: Person }> {
  const personFor = async (role: Role) => (needed.includes(role) ? createUser(api) : null);
  const browserFor = async (role: Role) => (needed.includes(role) ? createBrowserUser(api) : null);
  const [organizer, stranger, blocked, other, admin, deleted, browser, otherSite] = await Promise.all([
    createUser(api),
    personFor('stranger'),
    personFor('blocked'),
    personFor('other organizer'),
    needed.includes('admin') ? createAdmin(api) : null,
    personFor('deleted'),
    browserFor('cookie'),
    browserFor('cookie of another site'),
  ]);
  if (other) await createEvent(api, other);
  if (blocked) expectStatus(await api.post(`/v1/users/${blocked.id}/block`, organizer.token), 200);
  if (deleted) expectStatus(await deleteAccount(api, deleted), 200);
  return {
    anonymous: null,
    'bad token': null,
    stranger,
    blocked,
    organizer,
    'other organizer': other,
    admin,
    deleted,
    cookie: browser,
    'cookie of another site': otherSite,
  };
}

async function createBrowserUser(api: Api): Promise<BrowserPerson> {
  const person = await createUser(api);
  return { ...person, cookie: await signInBrowser(api, person.phone) };
}

/** The header that authenticates the requests of a role. */
export function credentialOf(people: PeopleByRole, role: Role): Record<string, string> {
  if (role === 'bad token') return { authorization: 'Bearer pa_not-a-token' };
  const person = people[role];
  if (role === 'cookie') return { cookie: people.cookie?.cookie ?? '', ...fromPage };
  if (role === 'cookie of another site')
    return { cookie: people[role]?.cookie ?? '', 'sec-fetch-site': 'cross-site' };
  return person ? { authorization: `Bearer ${person.token}` } : {};
}

/** Sends the request of one cell, on a new event, and returns the status. */
export const sendAs = async (...cell: Parameters<typeof requestAs>): Promise<number> =>
  (await requestAs(...cell)).status;

/** Sends the request of one cell, on a new event, and returns the response. */
export async function requestAs(
  api: Api,
  sharedPeople: PeopleByRole,
  name: string,
  row: AccessRow,
  role: Role,
): Promise<ApiResponse> {
  const people = row.needsFreshPeople ? await createPeopleByRole(api, [role]) : sharedPeople;
  const organizer = people.organizer;
  assert.ok(organizer);
  const { needsEvent, needsItem } = needsOf(name, row);
  const event = needsEvent ? (await createEvent(api, organizer, row.event)).id : randomUUID();
  const item = needsItem ? (await createItem(api, organizer, event)).id : randomUUID();
  const sessionOf = (person: Person) => firstSession(api, person);
  const context: RowContext = { api, organizer, event, item, caller: people[role], sessionOf };
  await row.before?.(context);
  const [method = '', template = ''] = routeOf(name).split(' ');
  const path =
    (await row.path?.(context)) ?? template.replace('{id}', template.startsWith('/v1/items') ? item : event);
  const body = await row.body?.(context);
  const type = row.image && { 'content-type': 'image/png' };
  const headers = { ...type, ...row.headers, ...credentialOf(people, role) };
  return api.call(method, path, { body, headers, ...(row.image && { raw: row.image }) });
}

/** Whether the request of a row needs an event and an item: half of the rows need no event, and most no item. */
function needsOf(name: string, { path, before, body }: AccessRow) {
  // A function without parameters does not use the context.
  const usesContext = [path, before, body].some((prepare) => prepare && prepare.length > 0);
  const needsItem = usesContext || name.includes(' /v1/items');
  return { needsEvent: needsItem || name.includes(' /v1/events/{id}'), needsItem };
}

async function firstSession(api: Api, person: Person): Promise<string> {
  const { body } = await api.get('/v1/auth/sessions', person.token);
  return body.data?.[0]?.id ?? randomUUID();
}
