/** Factories that create accounts, events, items and uploads for tests through the API. */

import assert from 'node:assert/strict';
import { transaction } from '#pg';
import { setRole } from '../../src/modules/accounts/sessions/repo.ts';
import { type Api, expectStatus } from './setup.ts';

export type Person = { id: string; phone: string; token: string; refreshToken: string; username: string };

let people = 0;

/** Returns a phone number that no other test in this process uses. */
export const nextPhone = (): string => `+1415${String(5_550_000 + people++).padStart(7, '0')}`;

let addresses = 0;

/** Returns a mail address that no other test in this process uses. */
export const nextAddress = (): string => `person.${++addresses}@example.org`;

export async function createUser(
  api: Api,
  profile: { name?: string; username?: string; isPrivate?: boolean; bio?: string } = {},
): Promise<Person> {
  const person = await signIn(api, nextPhone());
  if (Object.keys(profile).length > 0) expectStatus(await api.patch('/v1/me', person.token, profile), 200);
  return { ...person, username: profile.username ?? person.username };
}

/** Requests a sign-in code and returns it. */
export async function requestCode(api: Api, phone: string): Promise<string> {
  const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
  return body.devCode ?? api.sent.findLast((message) => message.phone === phone)?.code;
}

/** Requests a mail with a sign-in code, and returns the response, which has the code and the link. */
export async function requestMail(api: Api, email: string): Promise<{ devCode: string; devLink: string }> {
  return expectStatus(await api.post('/v1/auth/email/request', undefined, { email }), 202).body;
}

/** The token of a link in a mail. */
export const tokenOf = ({ devLink }: { devLink: string }): string =>
  new URL(devLink).searchParams.get('token') ?? '';

/** Gives a person a mail address. */
export async function addAddress(
  api: Api,
  { token }: { token: string },
  email = nextAddress(),
): Promise<string> {
  const { body } = expectStatus(await api.call('PUT', '/v1/me/email', { token, body: { email } }), 202);
  expectStatus(await api.post('/v1/me/email/verify', token, { code: body.devCode }), 200);
  return email;
}

export async function signIn(api: Api, phone: string): Promise<Person> {
  const code = await requestCode(api, phone);
  const { body } = expectStatus(await api.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
  return {
    id: body.user.id,
    phone,
    token: body.accessToken,
    refreshToken: body.refreshToken,
    username: body.user.username,
  };
}

/** Headers of a request that a page of the server sends. */
export const fromPage = { 'sec-fetch-site': 'same-origin' };

/** Opens a browser session. Returns the value of the header `Cookie` of its requests. */
export async function signInBrowser(api: Api, phone: string): Promise<string> {
  const body = { phone, code: await requestCode(api, phone) };
  const { headers } = expectStatus(
    await api.call('POST', '/v1/auth/browser-session', { body, headers: fromPage }),
    200,
  );
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

export async function createUsers(api: Api, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => createUser(api)));
}

export async function createAdmin(api: Api): Promise<Person> {
  const person = await createUser(api);
  await transaction(api.sql, (tx) => setRole(tx, person.id, 'admin'));
  return person;
}

/** One instant for all times of a test file, so that the differences between them are exact. */
const loadedAt = Date.now();

export const inDays = (days: number, hours = 0): string =>
  new Date(loadedAt + days * 86_400_000 + hours * 3_600_000).toISOString();

export const eventBody = (overrides: Record<string, unknown> = {}) => ({
  title: 'Harbour potluck',
  startAt: inDays(7),
  endAt: inDays(7, 4),
  location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
  category: 'food',
  ...overrides,
});

/** Creates an event and returns the response body. */
export async function createEvent(api: Api, organizer: Person, overrides: Record<string, unknown> = {}) {
  return expectStatus(await api.post('/v1/events', organizer.token, eventBody(overrides)), 201).body;
}

export async function createItem(
  api: Api,
  organizer: Person,
  eventId: string,
  overrides: Record<string, unknown> = {},
) {
  const item = { title: 'Sourdough bread', kind: 'bring', quantityNeeded: 3, ...overrides };
  return expectStatus(await api.post(`/v1/events/${eventId}/items`, organizer.token, item), 201).body;
}

/** A PNG of one pixel. */
export const onePixelPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mMwSJjwHwAEBAIgO6y3kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Uploads an image and returns the response body. */
export async function createUpload(api: Api, owner: Person, image = onePixelPng, type = 'image/png') {
  const headers = { 'content-type': type };
  return expectStatus(await api.call('POST', '/v1/uploads', { token: owner.token, raw: image, headers }), 201)
    .body;
}

export async function rsvpGoing(api: Api, person: Person, eventId: string, extraGuests = 0): Promise<void> {
  const { body } = expectStatus(
    await api.post(`/v1/events/${eventId}/rsvp`, person.token, { status: 'going', extraGuests }),
    200,
  );
  assert.equal(body.myRsvp, 'going');
}

/** Requests a deletion code and deletes the account with it. */
export async function deleteAccount(api: Api, person: Person) {
  const { body } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202);
  return api.delete('/v1/me', person.token, { confirmCode: body.devCode });
}
