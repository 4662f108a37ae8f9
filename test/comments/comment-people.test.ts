/** Whose comments a reader sees, and what happens to the comments of people who leave. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { sql, transaction } from '#pg';
import { endComments } from '../../src/modules/comments/people-leave.ts';
import { eraseOldGuests } from '../../src/modules/guests/erase-guests.ts';
import { connectionOf, untilBlockedBy, untilWaiting } from '../support/blocked-transactions.ts';
import { postComment, readComments, writeComment } from '../support/comments.ts';
import { stateOf } from '../support/event-stream-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  nextAddress,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const admin = await createAdmin(api);
beforeEach(() => api.clock.advance(61_000));
const newEvent = async (more = {}) =>
  (await createEvent(api, organizer, { commentVisibility: 'everyone', ...more })).id;
const authors = async (reader: { token: string } | null, event: string) =>
  (await readComments(api, reader, event)).map(({ author }) => author.id);
const join = async (event: string, email = nextAddress()) => {
  const guest = await answerAsGuest(api, event, { email, name: 'Mara', status: 'going' });
  return { id: guest.user.id, token: guest.guestToken };
};

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test("comment: across a block each side's comments are left out for the other, and the organizer reads all", async () => {
  const event = await newEvent();
  const [ana, ben] = (await createUsers(api, 2)) as [Person, Person];
  const ofAna = await writeComment(api, ana, event);
  const reply = await writeComment(api, organizer, event, 'reply', ofAna.id);
  await writeComment(api, ben, event);
  expectStatus(await api.post(`/v1/users/${ana.id}/block`, ben.token), 200);
  assert.deepEqual(await authors(ana, event), [ana.id, organizer.id]);
  assert.deepEqual(await authors(ben, event), [organizer.id, ben.id]);
  for (const reader of [organizer, admin, null]) assert.equal((await authors(reader, event)).length, 3);
  // Neither a reply nor a report reaches what is left out, and what replies to it replies to none.
  assert.equal((await readComments(api, ben, event))[0]?.replyTo, null);
  assert.equal((await readComments(api, ana, event))[1]?.replyTo, ofAna.id);
  expectProblem(await postComment(api, ben, event, 'x', ofAna.id), 404, 'comment_not_found');
  expectProblem(await api.delete(`/v1/comments/${ofAna.id}`, ben.token), 404, 'comment_not_found');
  const subject = { type: 'comment', id: ofAna.id };
  expectProblem(
    await api.post('/v1/reports', ben.token, { subject, reason: 'spam' }),
    404,
    'subject_not_found',
  );
  expectStatus(await api.delete(`/v1/users/${ana.id}/block`, ben.token), 200);
  assert.deepEqual((await readComments(api, ben, event)).map(({ id }) => id).slice(0, 2), [
    ofAna.id,
    reply.id,
  ]);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: a block against the organizer hides comments from the other side alone', async () => {
  const event = await newEvent();
  const ana = await createUser(api);
  await writeComment(api, ana, event);
  await writeComment(api, organizer, event);
  expectStatus(await api.post(`/v1/users/${organizer.id}/block`, ana.token), 200);
  assert.deepEqual(await authors(ana, event), [ana.id]);
  assert.deepEqual(await authors(organizer, event), [ana.id, organizer.id]);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: those of suspended people are left out for all, and are back when the account is restored', async () => {
  const event = await newEvent();
  const [account, guest] = [await createUser(api), await join(event)];
  for (const person of [account, guest]) await writeComment(api, person, event);
  for (const { id } of [account, guest])
    expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 200);
  for (const reader of [null, organizer, admin]) assert.deepEqual(await authors(reader, event), []);
  expectStatus(await api.delete(`/v1/admin/users/${account.id}/suspend`, admin.token), 200);
  assert.deepEqual(await authors(null, event), [account.id]);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: those of a deleted account are gone on every event, and replies stay', async () => {
  const [event, other] = [await newEvent(), await newEvent()];
  const [ana, ben] = (await createUsers(api, 2)) as [Person, Person];
  const parent = await writeComment(api, ana, event);
  await writeComment(api, ana, other);
  const reply = await writeComment(api, ben, event, 'reply', parent.id);
  expectStatus(await deleteAccount(api, ana), 200);
  assert.deepEqual(await readComments(api, null, event), [{ ...reply, replyTo: null }]);
  assert.deepEqual(await authors(null, other), []);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: a take-over makes those of a guest those of the account', async () => {
  const [event, email] = [await newEvent(), nextAddress()];
  const guest = await join(event, email);
  const comment = await writeComment(api, guest, event);
  const person = await createUser(api);
  await addAddress(api, person, email);
  expectStatus(await api.post(`/v1/me/guests/${guest.id}/take-over`, person.token), 200);
  const [moved, ...others] = await readComments(api, null, event);
  assert.deepEqual([moved?.id, moved?.author.id, others.length], [comment.id, person.id, 0]);
  expectStatus(await api.delete(`/v1/comments/${comment.id}`, person.token), 200);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: DELETE …/guest ends those of a guest, and those of an account at that event alone', async () => {
  const [event, other] = [await newEvent(), await newEvent()];
  const guest = await join(event);
  await writeComment(api, guest, event);
  expectStatus(await api.delete(`/v1/events/${event}/guest`, guest.token), 200);
  assert.deepEqual(await authors(null, event), []);
  const [person, email] = [await createUser(api), nextAddress()];
  await addAddress(api, person, email);
  for (const id of [event, other]) await writeComment(api, person, id);
  const asAccount = { email, name: 'Mara', status: 'going' as const, asAccount: true };
  const { guestToken } = await answerAsGuest(api, event, asAccount);
  expectStatus(await api.delete(`/v1/events/${event}/guest`, guestToken), 200);
  assert.deepEqual([await authors(null, event), await authors(null, other)], [[], [person.id]]);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: 30 days after the end of the event, the job erases those of guests without an account', async () => {
  const event = await newEvent();
  const [guest, person] = [await join(event), await createUser(api)];
  const comment = await writeComment(api, guest, event);
  const reply = await writeComment(api, person, event, 'reply', comment.id);
  const erase = (days: number) =>
    eraseOldGuests({ db: api.sql, clock: () => new Date(Date.now() + days * 86_400_000) });
  await erase(1);
  assert.equal((await readComments(api, null, event)).length, 2);
  await erase(400);
  assert.deepEqual(await readComments(api, null, event), [{ ...reply, replyTo: null }]);
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: one that is written while its author is removed is refused or removed', async () => {
  const event = await newEvent({ commentVisibility: 'guests' });
  const person = await createUser(api);
  await rsvpGoing(api, person, event);
  const writing = await transaction(api.sql, async (tx) => {
    await endComments(tx, { eventId: event, userId: person.id });
    const response = postComment(second, person, event, 'x');
    await untilWaiting(api.sql, 1);
    await tx.execute(sql`delete from rsvps where event_id = ${event} and user_id = ${person.id}`);
    await tx.execute(sql`
      update event_counters
      set rsvp_count = rsvp_count - 1, going_count = going_count - 1, unread_rsvps = 0, rsvps_person_id = null
      where event_id = ${event}`);
    return { response };
  });
  expectProblem(await writing.response, 403, 'comments_private');
  assert.deepEqual(await authors(organizer, event), []);
});

// spec: 6 GET /v1/events/:id/comments, POST /v1/events/:id/comments, DELETE /v1/comments/:id: comments of an event
test('comment: of a reply and the deletion of its comment at the same time, no reply refers to what is gone', async () => {
  const event = await newEvent();
  const [ana, ben] = (await createUsers(api, 2)) as [Person, Person];
  for (const isReplyFirst of [true, false]) {
    const parent = await writeComment(api, ana, event);
    const reply = () => postComment(second, ben, event, 'reply', parent.id);
    const remove = () => api.delete(`/v1/comments/${parent.id}`, ana.token);
    const [first, next] = isReplyFirst ? [reply, remove] : [remove, reply];
    const { responses } = await api.sql.begin(async (tx) => {
      await tx`select 1 from comment_counters where event_id = ${event} for update`;
      const waiting = first();
      const blocked = await untilBlockedBy(api.sql, await connectionOf(tx), waiting);
      const queued = next();
      await untilBlockedBy(api.sql, blocked ?? 0, queued).catch(() => null);
      return { responses: Promise.all([waiting, queued]) };
    });
    const [one, two] = await responses;
    const [replied, removed] = isReplyFirst ? [one, two] : [two, one];
    expectStatus(removed, 200);
    // PostgreSQL need not give the lock to the one that waited first.
    if (replied.status === 201) {
      const left = (await readComments(api, null, event)).find(({ id }) => id === replied.body.id);
      assert.equal(left?.replyTo, null);
    } else expectProblem(replied, 404, 'comment_not_found');
    await assertCounters(api.sql);
  }
});

// spec: 3 POST /v1/reports: reports to the admins
test('report: 201 for a comment that the reporter can read; admins read its text, and a note resolves it', async () => {
  const event = await newEvent({ commentVisibility: 'guests' });
  const [stranger, guest] = [await createUser(api), await join(event)];
  const comment = await writeComment(api, guest, event, 'Buy cheap tickets');
  const report = (person: { token: string }, id = comment.id) =>
    api.post('/v1/reports', person.token, { subject: { type: 'comment', id }, reason: 'spam' });
  for (const id of [comment.id, 'x', `${event}.x`])
    expectProblem(await report(stranger, id), 404, 'subject_not_found');
  const { body } = expectStatus(await report(organizer, comment.id.toUpperCase()), 201);
  assert.deepEqual(body.subject, { type: 'comment', id: comment.id });
  expectProblem(await report(organizer), 409, 'already_reported');
  const read = async () => expectStatus(await api.get(`/v1/admin/reports/${body.id}`, admin.token), 200).body;
  const { about, message } = await read();
  assert.deepEqual([about.id, about.hasAccount, message.text], [guest.id, false, 'Buy cheap tickets']);
  expectStatus(await api.delete(`/v1/comments/${comment.id}`, admin.token), 200);
  assert.equal((await read()).message, null);
  await rsvpGoing(api, stranger, event);
  const own = await writeComment(api, stranger, event);
  expectProblem(await report(stranger, own.id), 400, 'self_relation');
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('live: `commentsVersion` rises with each change of the comments, on both servers', async () => {
  const event = await newEvent();
  const [person, email] = [await createUser(api), nextAddress()];
  const guest = await join(event, email);
  const stream = await openStream(second, event);
  const version = () => stateOf(stream.messages).counts.commentsVersion;
  assert.equal(version(), 0);
  const rises = async (change: Promise<unknown>) => {
    const before = version();
    await change;
    await stream.until(() => version() > before);
  };
  const posting = writeComment(api, guest, event);
  await rises(posting);
  await rises(writeComment(api, person, event, 'reply', (await posting).id));
  await addAddress(api, person, email);
  await rises(api.post(`/v1/me/guests/${guest.id}/take-over`, person.token));
  await rises(api.delete(`/v1/comments/${(await posting).id}`, organizer.token));
  await rises(deleteAccount(api, person));
});
