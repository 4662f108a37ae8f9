/** Sends the requests of the access matrix: one for each row and role. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  deleteAccount,
  fromPage,
  type Person,
  signInBrowser,
} from '../support/factories.ts';
import { type Api, type ApiResponse, expectStatus } from '../support/setup.ts';
import { type AccessRow, routeOf } from './all.ts';

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
  const [anonymous = 0, badToken = 0, stranger = 0] = statuses;
  const isRefused = !name.startsWith('GET ') && badToken === 401;
  return [...statuses, stranger, isRefused ? 403 : anonymous];
}

type BrowserPerson = Person & { cookie: string };
export type PeopleByRole = Record<(typeof listedRoles)[number], Person | null> &
  Record<(typeof browserRoles)[number], BrowserPerson | null>;
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
  const context = { api, organizer, event, item, caller: people[role], sessionOf };
  await row.before?.(context);
  const [method = '', template = ''] = routeOf(name).split(' ');
  const path =
    (await row.path?.(context)) ?? template.replace('{id}', template.startsWith('/v1/items') ? item : event);
  const body = await row.body?.(context);
  const type = row.file && { 'content-type': row.file.type };
  const headers = { ...type, ...row.headers, ...credentialOf(people, role) };
  return api.call(method, path, { body, headers, ...(row.file && { raw: row.file.content }) });
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
