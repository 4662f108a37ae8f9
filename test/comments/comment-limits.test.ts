/** The limits of comments hold on every server, and for requests at the same time. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { postComment, readComments, storeComments, writeComment } from '../support/comments.ts';
import { createEvent, createUser, createUsers, nextAddress, type Person } from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ env: { QUOTAS: 'off' } });
const second = await api.startAnother({ env: { QUOTAS: 'off' }, clock: api.clock });
const servers = [api, second];
const organizer = await createUser(api);
const newEvent = async () => (await createEvent(api, organizer, { commentVisibility: 'everyone' })).id;
beforeEach(() => api.clock.advance(61_000));

/** Sends requests on both servers at once, while no comment of the event can be written, until all of them wait. */
async function atOnce(event: string, writers: { token: string }[]): Promise<ApiResponse[]> {
  await api.sql`insert into comment_counters (event_id) values (${event}) on conflict do nothing`;
  const sending = await api.sql.begin(async (tx) => {
    await tx`select 1 from comment_counters where event_id = ${event} for update`;
    const responses = writers.map((writer, i) => postComment(servers[i % 2] ?? api, writer, event, `${i}`));
    await untilWaiting(api.sql, writers.length);
    return { all: Promise.all(responses) };
  });
  return await sending.all;
}
const countOf = (responses: ApiResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment limit: 429 too_many_requests for the 11th in a minute, of requests on two servers at once', async () => {
  const [event, person] = [await newEvent(), await createUser(api)];
  for (let i = 0; i < 5; i++) await writeComment(api, person, event);
  const responses = await atOnce(event, Array(8).fill(person));
  assert.deepEqual([countOf(responses, 201), countOf(responses, 429)], [5, 3]);
  const refused = responses.find(({ status }) => status === 429) as ApiResponse;
  expectProblem(refused, 429, 'too_many_requests');
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 30 && wait <= 60, `${wait}`);
  // Another event and another server count the same person; others are not concerned.
  expectProblem(await postComment(second, person, await newEvent(), 'x'), 429, 'too_many_requests');
  await writeComment(second, await createUser(api), event);
  // Deleting makes no room.
  const [first] = await readComments(api, person, event);
  expectStatus(await api.delete(`/v1/comments/${first?.id}`, person.token), 200);
  expectProblem(await postComment(api, person, event, 'x'), 429, 'too_many_requests');
  api.clock.advance(61_000);
  await writeComment(api, person, event);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment limit: 429 quota_exceeded for the 201st of a day, and for the 51st of a guest without an account', async () => {
  const event = await newEvent();
  const guest = await answerAsGuest(api, event, { email: nextAddress(), name: 'Mara', status: 'going' });
  const people = [
    { person: await createUser(api), before: 199 },
    { person: { id: guest.user.id, token: guest.guestToken }, before: 49 },
  ];
  for (const { person, before } of people) {
    await writeComment(api, person, event);
    await api.sql`update comment_limits set sent_on_day = ${before} where user_id = ${person.id}`;
    await writeComment(second, person, event);
    const refused = await postComment(api, person, event, 'x');
    expectProblem(refused, 429, 'quota_exceeded');
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 86_400, `${wait}`);
  }
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment limit: 409 comments_full above 5,000 of an event, of requests on two servers at once', async () => {
  const event = await newEvent();
  await storeComments(api, event, organizer.id, 4_997);
  const people: Person[] = await createUsers(api, 6);
  const responses = await atOnce(event, people);
  assert.deepEqual([countOf(responses, 201), countOf(responses, 409)], [3, 3]);
  for (const response of responses.filter(({ status }) => status === 409))
    expectProblem(response, 409, 'comments_full');
  const last = responses.find(({ status }) => status === 201)?.body;
  expectStatus(await api.delete(`/v1/comments/${last.id}`, organizer.token), 200);
  await writeComment(second, organizer, event);
  expectProblem(await postComment(api, organizer, event, 'x'), 409, 'comments_full');
  // A reply to what does not exist is a 404 first.
  expectProblem(await postComment(api, organizer, event, 'x', 'x'), 404, 'comment_not_found');
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment limit: 409 comments_full for guests without an account from 4,000 on', async () => {
  const event = await newEvent();
  const join = async () => {
    const guest = await answerAsGuest(api, event, { email: nextAddress(), name: 'Mara', status: 'going' });
    return { token: guest.guestToken };
  };
  const guests = await Promise.all([join(), join(), join()]);
  await storeComments(api, event, organizer.id, 3_999);
  const responses = await atOnce(event, guests);
  assert.deepEqual([countOf(responses, 201), countOf(responses, 409)], [1, 2]);
  await writeComment(api, await createUser(api), event);
});
