/** Errors of pages, in the log and on the page. */
import assert from 'node:assert/strict';
import test, { beforeEach, mock } from 'node:test';
import {
  createEvent,
  createItem,
  createUser,
  nextPhone,
  rsvpGoing,
  signInBrowser,
} from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);
type Line = { reqId: string; method: string; path: string; err: Error };
const errors: Line[] = [];
mock.method(api.app.log, 'error', (fields: Line) => void errors.push(fields));
/** What bypasses the logger. */
const printed: unknown[] = [];
mock.method(console, 'error', (...values: unknown[]) => void printed.push(values));
beforeEach(() => {
  errors.length = 0;
  printed.length = 0;
});

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.url + path, { headers, redirect: 'manual' });

test('page: 500 with the request id, and one line of the log with this id, the masked path and the error', async () => {
  // Pages ask for the caller of each read of the API.
  const findCaller = mock.method(api.app, 'findCaller', () => {
    throw new TypeError('a defect');
  });
  const headers = { 'x-request-id': 'page-1', 'accept-language': 'en' };
  const response = await open(`/u/${nextPhone().slice(1)}?q=secretquery`, headers);
  findCaller.mock.restore();
  assert.equal(response.status, 500);
  assert.match(await response.text(), /please mention this number: page-1/);
  assert.equal(errors.length, 1);
  const { err, ...line } = errors[0] as Line;
  assert.deepEqual(line, { reqId: 'page-1', method: 'GET', path: '/u/…' });
  assert.match(`${err.stack}`, /TypeError: a defect/);
  assert.deepEqual(printed, []);
});

test('page: 403 and 404 where the API refuses, without a line of the log at the level error', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const shared = await createEvent(api, organizer);
  await createItem(api, organizer, shared.id);
  const guest = await createUser(api);
  await rsvpGoing(api, guest, shared.id);
  const cookie = await signInBrowser(api, nextPhone());
  for (const page of ['', '/bring', '/bookings', '/guest-list', '/items', '/edit', '/bring.csv', '/share']) {
    const hidden = await open(`/e/${event.id}${page}`, { cookie });
    assert.equal(hidden.status, 404, page);
    const visible = await open(`/e/${shared.id}${page}`, { cookie });
    assert.equal(visible.status, page === '' || page === '/share' ? 200 : 403, page);
    // Navigations of scripts load the data of each part of the page, with the refusals in them.
    for (const headers of [{}, { cookie }])
      for (const { id } of [event, shared]) await (await open(`/e/${id}${page}/__data.json`, headers)).text();
  }
  for (const path of ['/nothing', '/e/nothing', `/u/${event.id}`, '/messages/nothing'])
    assert.equal((await open(path, { cookie })).status, 404, path);
  assert.deepEqual(errors, []);
  assert.deepEqual(printed, []);
});
