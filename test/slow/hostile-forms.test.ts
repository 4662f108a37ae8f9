/** Every page and every form of a page, with requests that no browser sends. */
import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  fromPage,
  rsvpGoing,
  signInBrowser,
} from '../support/factories.ts';
import { endsOthers, hostileRequests, type PageRequest } from '../support/hostile-forms.ts';
import { readBytes, send } from '../support/http-client.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const errors: Error[] = [];
mock.method(api.app.log, 'error', ({ err }: { err: Error }) => void errors.push(err));

const admin = await createAdmin(api);
const guest = await createUser(api);
const event = await createEvent(api, admin);
const item = await createItem(api, admin, event.id);
await rsvpGoing(api, guest, event.id);
const subject = { type: 'event', id: event.id };
const report = expectStatus(
  await api.post('/v1/reports', guest.token, { subject, reason: 'other', text: 'Why?' }),
  201,
).body as { id: string };
const subjects = { event: event.id, item: item.id, person: guest.id, report: report.id };

/** Long values of single fields are for the program that measures (torture/programs/pages.ts): here, all are long at once. */
const isMeasured = /: \w+: /;
/** Of visitors, forms with one hostile value are refused as others are. */
const isSingle = /: \w+(?:=|: )/;

async function statusOf({ method, path, headers, body }: PageRequest, cookie: string): Promise<number> {
  const sent = { ...headers, ...fromPage, accept: 'text/html', ...(cookie && { cookie }) };
  return (await readBytes(await send(api.url + path, { method, headers: sent, body }))).status;
}

/** Sends the requests one after the other, and collects those with an answer that blames the server. */
async function listFaults(cookie: string, isSent: (request: PageRequest) => boolean) {
  const faults: string[] = [];
  let count = 0;
  for await (const request of hostileRequests(subjects)) {
    if (!isSent(request)) continue;
    count++;
    errors.length = 0;
    const status = await statusOf(request, cookie);
    if (status >= 500 || errors.length > 0)
      faults.push(`${status} ${request.name} (${errors[0]?.message ?? ''})`);
  }
  return { faults, count };
}

/**
 * Of the requests with one hostile value, each seventh, which has every field and every value: there are 19 values, and seven
 * does not divide 19. The program sends all.
 */
function isOfAdmin(method: PageRequest['method']): (request: PageRequest) => boolean {
  let single = 0;
  return (request) =>
    request.method === method &&
    !endsOthers.test(request.name) &&
    !isMeasured.test(request.name) &&
    (!isSingle.test(request.name) || single++ % 7 === 0);
}

for (const [method, what, fewest] of [
  ['GET', 'addresses', 2_000],
  ['POST', 'forms', 5_000],
] as const) {
  test(`pages and forms: no 5xx, and no line of the log at the level error, for hostile ${what} of an admin`, async () => {
    const { faults, count } = await listFaults(await signInBrowser(api, admin.phone), isOfAdmin(method));
    assert.deepEqual(faults, []);
    assert.ok(count > fewest, `${count} requests`);
  });
}

test('pages and forms: no 5xx, and no line of the log at the level error, for hostile forms of visitors', async () => {
  const { faults } = await listFaults('', ({ name, method }) => method === 'POST' && !isSingle.test(name));
  assert.deepEqual(faults, []);
});
