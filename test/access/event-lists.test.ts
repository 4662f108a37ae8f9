/** The lists of an event with a cursor: announcements, comments, invitations and requests; and the invitations of an account. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { storeComments } from '../support/comments.ts';
import { createEvent, createUser, createUsers, nextAddress, rsvpGoing } from '../support/factories.ts';
import { invite } from '../support/invitations.ts';
import { askToJoin } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const count = 23;

const [organizer, invited] = [await createUser(api), await createUser(api)];
const open = await createEvent(api, organizer, { commentVisibility: 'everyone' });
const closed = await createEvent(api, organizer, { rsvpApproval: 'organizer' });
await invite(
  api,
  organizer,
  open.id,
  Array.from({ length: count }, () => ({ email: nextAddress() })),
);
await storeComments(api, open.id, organizer.id, count);
await api.sql`
  insert into announcements (id, subject_id, author_id, text, audience, status, is_of_change, send_at, sent_at, created_at, recipients)
  select gen_random_uuid(), ${open.id}, ${organizer.id}, 'x', '{going}', 'sent', false, date_trunc('hour', now()) - n % 3 * interval '1 hour', now(), now(), 0
  from generate_series(1, ${count}::int) n`;
for (const person of await createUsers(api, count)) await askToJoin(api, person, closed.id);
for (let i = 0; i < count; i++)
  await invite(api, organizer, (await createEvent(api, organizer)).id, [{ userId: invited.id }]);
await rsvpGoing(api, invited, open.id);

type Element = { id?: string; user?: { id: string } };
const lists = [
  { path: `/v1/events/${open.id}/invitations?status=pending`, reader: organizer },
  { path: `/v1/events/${open.id}/announcements?`, reader: organizer },
  { path: `/v1/events/${open.id}/announcements?`, reader: invited },
  { path: `/v1/events/${open.id}/comments?`, reader: null },
  { path: `/v1/events/${closed.id}/requests?`, reader: organizer },
  { path: '/v1/me/invitations?', reader: invited },
];

for (const { path, reader } of lists) {
  const read = (query: string) => api.get(`${path}${query}`, reader?.token);
  const name = path.replace(/[0-9a-f-]{36}/, '{id}').replace(/\?.*/, '');

  test(`GET ${name}: pages of any size have each element once, and the last one has no cursor`, async () => {
    for (const limit of [1, 7, 50]) {
      const found: (string | undefined)[] = [];
      for (let query = `&limit=${limit}`; query !== ''; ) {
        const { body } = expectStatus(await read(query), 200);
        assert.ok(body.data.length <= limit);
        found.push(...body.data.map(({ id, user }: Element) => id ?? user?.id));
        query = body.nextCursor === null ? '' : `&limit=${limit}&cursor=${body.nextCursor}`;
      }
      assert.deepEqual([found.length, new Set(found).size], [count, count]);
    }
    assert.equal(expectStatus(await read(''), 200).body.data.length, 20);
  });

  test(`GET ${name}: 400 naming limit or cursor for an invalid value`, async () => {
    for (const query of [
      'limit=0',
      'limit=51',
      'limit=1.5',
      'limit=x',
      'cursor=x',
      'cursor=',
      'cursor=WyJ4Il0',
    ]) {
      const { body } = expectProblem(await read(`&${query}`), 400, 'invalid_request');
      assert.equal(body.errors[0].path, query.split('=')[0]);
    }
  });
}
