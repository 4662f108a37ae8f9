/** Comments of an event: writing, replies, lists and deletion. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { beforeEach } from 'node:test';
import { commentsOf, postComment, readComments, writeComment } from '../support/comments.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  inDays,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
// A person may write 10 comments in a minute.
beforeEach(() => api.clock.advance(61_000));
const openTo = (commentVisibility: 'guests' | 'everyone', more = {}) =>
  createEvent(api, organizer, { commentVisibility, ...more });
const texts = async (reader: { token: string } | null, event: string) =>
  (await readComments(api, reader, event)).map(({ text }) => text);

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 201 with the comment, which the list has, the oldest first', async () => {
  const event = await createEvent(api, organizer);
  const guest = await createUser(api);
  await rsvpGoing(api, guest, event.id);
  const text = 'Is there parking?\n\nhttps://example.org/map';
  const first = await writeComment(api, guest, event.id, text);
  assert.deepEqual(
    [first.author.id, first.author.hasAccount, first.isOrganizer, first.text, first.replyTo],
    [guest.id, true, false, text, null],
  );
  const reply = await writeComment(api, organizer, event.id, 'Yes!', first.id);
  assert.deepEqual([reply.author.id, reply.isOrganizer, reply.replyTo], [organizer.id, true, first.id]);
  assert.deepEqual(await readComments(api, guest, event.id), [first, reply]);
  // An id in capitals is the same id; null replies to none.
  const third = await writeComment(api, guest, event.id, 'Thanks', reply.id.toUpperCase());
  assert.equal(third.replyTo, reply.id);
  const body = expectStatus(await postComment(api, guest, event.id, 'Bye', null), 201).body;
  assert.equal(body.replyTo, null);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 400 for a text that is empty, invisible or longer than 1,000 characters', async () => {
  const event = await createEvent(api, organizer);
  for (const text of ['', ' \n\t', '\u200b', 'x'.repeat(1_001), '🥘'.repeat(1_001)])
    expectProblem(await postComment(api, organizer, event.id, text), 400, 'invalid_request');
  const longest = await writeComment(api, organizer, event.id, '🥘'.repeat(1_000));
  assert.equal([...longest.text].length, 1_000);
  const path = commentsOf(event.id);
  for (const body of [{}, { text: 1 }, { text: 'x', replyTo: 1 }, { text: 'x', author: 'y' }])
    expectProblem(await api.post(path, organizer.token, body), 400, 'invalid_request');
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: the list has pages without gaps, also while comments are written', async () => {
  const event = await createEvent(api, organizer);
  const written: string[] = [];
  for (let i = 0; i < 7; i++) written.push((await writeComment(api, organizer, event.id, `${i}`)).id);
  const read: string[] = [];
  let cursor = '';
  for (;;) {
    const page = expectStatus(
      await api.get(`${commentsOf(event.id)}?limit=3${cursor}`, organizer.token),
      200,
    ).body;
    read.push(...page.data.map(({ id }: { id: string }) => id));
    if (read.length === 3) written.push((await writeComment(api, organizer, event.id, 'late')).id);
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(read, written);
  expectProblem(await api.get(`${commentsOf(event.id)}?cursor=x`, organizer.token), 400, 'invalid_request');
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 404 comment_not_found for a reply to what is unknown, deleted or of another event', async () => {
  const [event, other] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const elsewhere = await writeComment(api, organizer, other.id);
  const gone = await writeComment(api, organizer, event.id);
  expectStatus(await api.delete(`/v1/comments/${gone.id}`, organizer.token), 200);
  for (const replyTo of [elsewhere.id, gone.id, `${event.id}.${randomUUID()}`, event.id, 'x', `${gone.id}.x`])
    expectProblem(await postComment(api, organizer, event.id, 'x', replyTo), 404, 'comment_not_found');
  // A comment of the other event by its own id under this event.
  const mixed = `${event.id}.${elsewhere.id.split('.')[1]}`;
  expectProblem(await postComment(api, organizer, event.id, 'x', mixed), 404, 'comment_not_found');
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 403 comments_private for people who are no guests, before 404 comment_not_found', async () => {
  const event = await createEvent(api, organizer);
  const stranger = await createUser(api);
  const comment = await writeComment(api, organizer, event.id);
  for (const replyTo of [undefined, 'x', comment.id])
    expectProblem(await postComment(api, stranger, event.id, 'x', replyTo), 403, 'comments_private');
  for (const token of [undefined, stranger.token])
    expectProblem(await api.get(commentsOf(event.id), token), 403, 'comments_private');
  const unknown = `/v1/comments/${event.id}.${randomUUID()}`;
  expectProblem(await api.delete(unknown, stranger.token), 403, 'comments_private');
  expectProblem(await api.post(commentsOf(event.id), undefined, { text: 'x' }), 401, 'token_missing');
  // An RSVP, a place in the waitlist or a claim makes a guest; without it, the person reads no more.
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, stranger.token, { status: 'interested' }), 200);
  const own = await writeComment(api, stranger, event.id, 'mine');
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, stranger.token, { status: null }), 200);
  expectProblem(await api.get(commentsOf(event.id), stranger.token), 403, 'comments_private');
  assert.deepEqual(await texts(organizer, event.id), ['Is there parking?', 'mine']);
  // Who left can still take back what they wrote.
  expectStatus(await api.delete(`/v1/comments/${own.id}`, stranger.token), 200);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: with `everyone`, all who see the event read, and those with a token write', async () => {
  const event = await openTo('everyone');
  const [stranger, admin] = [await createUser(api), await createAdmin(api)];
  await writeComment(api, stranger, event.id, 'Hello');
  await writeComment(api, admin, event.id, 'Hi');
  for (const reader of [null, stranger, organizer])
    assert.deepEqual(await texts(reader, event.id), ['Hello', 'Hi']);
  expectProblem(await api.post(commentsOf(event.id), undefined, { text: 'x' }), 401, 'token_missing');
  // The organizer closes them to all but guests.
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, { commentVisibility: 'guests' }),
    200,
  );
  expectProblem(await api.get(commentsOf(event.id)), 403, 'comments_private');
  expectProblem(await postComment(api, stranger, event.id, 'x'), 403, 'comments_private');
  assert.deepEqual(await texts(admin, event.id), ['Hello', 'Hi']);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 404 event_not_found for an event that is unknown or private, 200 for its organizer', async () => {
  const event = await openTo('everyone', { visibility: 'private' });
  const stranger = await createUser(api);
  const comment = await writeComment(api, organizer, event.id);
  for (const id of [event.id, randomUUID(), 'x']) {
    expectProblem(await api.get(commentsOf(id), stranger.token), 404, 'event_not_found');
    expectProblem(await postComment(api, stranger, id, 'x'), 404, 'event_not_found');
  }
  expectProblem(await api.delete(`/v1/comments/${comment.id}`, stranger.token), 404, 'comment_not_found');
  assert.deepEqual(await texts(organizer, event.id), ['Is there parking?']);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: invited people read and write before they answer, also at a private event', async () => {
  const event = await openTo('guests', { visibility: 'private' });
  const [invited, other] = [await createUser(api), await createUser(api)];
  await api.sql`insert into event_people (event_id, user_id, is_invited) values (${event.id}, ${invited.id}, true)`;
  await writeComment(api, invited, event.id, 'May I bring my dog?');
  assert.deepEqual(await texts(invited, event.id), ['May I bring my dog?']);
  expectProblem(await postComment(api, other, event.id, 'x'), 404, 'event_not_found');
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 403 for a person whom the organizer removed, also where everyone comments', async () => {
  const event = await openTo('everyone');
  const removed = await createUser(api);
  await api.sql`insert into event_people (event_id, user_id, is_removed) values (${event.id}, ${removed.id}, true)`;
  expectProblem(await postComment(api, removed, event.id, 'x'), 403, 'removed_from_event');
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: while the module is off, writing is a 403 module_disabled, and reading and deleting work', async () => {
  const event = await openTo('everyone');
  const [stranger] = await createUsers(api, 1);
  assert.ok(stranger);
  const comment = await writeComment(api, stranger, event.id);
  const off = { enabledModules: ['bringList'] };
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, off), 200);
  for (const person of [organizer, stranger])
    expectProblem(await postComment(api, person, event.id, 'x'), 403, 'module_disabled');
  assert.equal((await readComments(api, null, event.id)).length, 1);
  expectStatus(await api.delete(`/v1/comments/${comment.id}`, stranger.token), 200);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: the module is in the default of new events; a copy has no comments', async () => {
  const event = await openTo('everyone');
  assert.ok(event.enabledModules.includes('comments'));
  assert.equal((await createEvent(api, organizer)).commentVisibility, 'guests');
  await writeComment(api, organizer, event.id);
  const copy = expectStatus(
    await api.post(`/v1/events/${event.id}/duplicate`, organizer.token, {
      startAt: inDays(9),
      endAt: inDays(10),
    }),
    201,
  ).body;
  assert.equal(copy.commentVisibility, 'everyone');
  assert.deepEqual(await readComments(api, organizer, copy.id), []);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: works on cancelled and ended events', async () => {
  const ended = await openTo('everyone', { startAt: inDays(-3), endAt: inDays(-2) });
  const cancelled = await openTo('everyone');
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  const person = await createUser(api);
  for (const { id } of [ended, cancelled]) {
    const comment = await writeComment(api, person, id, 'What a pity');
    assert.deepEqual(await texts(null, id), ['What a pity']);
    expectStatus(await api.delete(`/v1/comments/${comment.id}`, person.token), 200);
    assert.deepEqual(await texts(null, id), []);
  }
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: its author and the organizer delete it, others get a 403 not_owner; replies stay without what they reply to', async () => {
  const event = await openTo('everyone');
  const [author, other, admin] = [await createUser(api), await createUser(api), await createAdmin(api)];
  const parent = await writeComment(api, author, event.id, 'parent');
  const reply = await writeComment(api, other, event.id, 'reply', parent.id);
  expectProblem(await api.delete(`/v1/comments/${parent.id}`, other.token), 403, 'not_owner');
  // Also for a person who cannot read it.
  const closed = await openTo('guests');
  const unread = await writeComment(api, organizer, closed.id);
  expectProblem(await api.delete(`/v1/comments/${unread.id}`, other.token), 403, 'not_owner');
  expectStatus(await api.delete(`/v1/comments/${parent.id}`, organizer.token), 200);
  expectProblem(await api.delete(`/v1/comments/${parent.id}`, author.token), 404, 'comment_not_found');
  assert.deepEqual(await readComments(api, null, event.id), [{ ...reply, replyTo: null }]);
  expectStatus(await api.delete(`/v1/comments/${reply.id.toUpperCase()}`, admin.token), 200);
  for (const id of [reply.id, 'x', `${event.id}.x`, event.id, `${randomUUID()}.${randomUUID()}`])
    expectProblem(await api.delete(`/v1/comments/${id}`, author.token), 404, 'comment_not_found');
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: an Idempotency-Key writes it once', async () => {
  const event = await createEvent(api, organizer);
  const call = {
    token: organizer.token,
    body: { text: 'Once' },
    headers: { 'idempotency-key': randomUUID() },
  };
  const [first, again] = [
    await api.call('POST', commentsOf(event.id), call),
    await api.call('POST', commentsOf(event.id), call),
  ];
  assert.deepEqual(expectStatus(again, 201).body, expectStatus(first, 201).body);
  assert.equal(again.headers.get('idempotency-replayed') ?? 'true', 'true');
  assert.deepEqual(await texts(organizer, event.id), ['Once']);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: a guest without an account comments with the guest token of the event alone', async () => {
  const [event, other] = [await openTo('guests'), await openTo('everyone')];
  const guest = await answerAsGuest(api, event.id, {
    email: 'mara.comments@example.org',
    name: 'Mara',
    status: 'going',
  });
  const token = guest.guestToken;
  const comment = await writeComment(api, { token }, event.id, 'I bring a cake');
  assert.deepEqual([comment.author.name, comment.author.hasAccount], ['Mara', false]);
  assert.deepEqual(await texts({ token }, event.id), ['I bring a cake']);
  expectProblem(await postComment(api, { token }, other.id, 'x'), 403, 'guest_session');
  const elsewhere = await writeComment(api, organizer, other.id);
  expectProblem(await api.delete(`/v1/comments/${elsewhere.id}`, token), 403, 'guest_session');
  expectStatus(await api.delete(`/v1/comments/${comment.id}`, token), 200);
});
