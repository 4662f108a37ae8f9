import assert from 'node:assert/strict';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { writeComment } from './comments.ts';
import {
  addAddress,
  createEvent,
  createItem,
  createUpload,
  createUser,
  createUsers,
  eventBody,
  nextPhone,
  type Person,
  requestMail,
  rsvpGoing,
  signIn,
} from './factories.ts';
import { askToJoin } from './requests.ts';
import { type Api, expectProblem, expectStatus, secretKey } from './setup.ts';

/** Inserts a subscription, because the API accepts one only over https. */
const subscribeToPush = (api: Api, { id }: Person) => api.sql`
  insert into push_subscriptions (user_id, id, session_id, endpoint, endpoint_hash, p256dh, auth, created_at)
  select user_id, gen_random_uuid(), id, 'https://push.example.net/x', sha256('x'), 'p256dh', 'auth', now()
  from sessions where user_id = ${id} limit 1`;

/** Inserts a mail that waits, because only admins cause one. */
const storeMail = (api: Api, { id }: Person) => api.sql`
  insert into mails (user_id, id, kind, subject_id, source_id, address, language, state, turn, attempts, due_at, created_at)
  values (${id}, gen_random_uuid(), 'test', ${id}, ${id}, 'x@example.net', 'en', 'queued', 0, 0, now(), now())`;

/** Inserts an import that waits for its review, because a server would read a file some time after the response. */
async function storeImport(api: Api, { id }: Person): Promise<void> {
  await api.sql`
    insert into import_runs (user_id, id, status, media, options, created_at)
    values (${id}, gen_random_uuid(), 'review', 'calendar', '{}', now())`;
  await api.sql`
    insert into import_entries (user_id, import_id, n, state, key, details)
    select user_id, id, 1, 'refused', '', '{"reason": "Xanthippe has no date"}' from import_runs where user_id = ${id}`;
  // It was given up: no server fetches it.
  await api.sql`
    insert into sources (user_id, id, address_hash, url, auto_publish, options, created_at, wanted_since)
    values (${id}, gen_random_uuid(), '\\x00', 'https://calendars.invalid/a.ics', false, '{}', now(), now())`;
}

/** Answers by the link of an invitation. */
async function answerByLink(api: Api, { token }: Person, url: string): Promise<void> {
  const headers = { 'invitation-token': url.split('/').at(-1) ?? '' };
  expectStatus(
    await api.call('POST', '/v1/invitation/answer', { token, headers, body: { status: 'interested' } }),
    200,
  );
}

/**
 * Creates a person with a row in every table that has personal data, and related people. Account deletion
 * must remove these rows (delete-account.test.ts), and an export must contain them (export.test.ts). A new
 * table with personal data needs a row here.
 */
export async function createPersonWithEverything(api: Api, second: Api) {
  const profile = { name: 'Xanthippe Quistgaard', username: 'xanthippe.q', bio: 'Writes epigrams.' };
  const person = await createUser(api, profile);
  const email = await addAddress(api, person, 'xanthippe.q@example.org');
  await requestMail(api, email);
  const newPhone = { token: person.token, body: { phone: nextPhone() } };
  expectStatus(await api.call('PUT', '/v1/me/phone', newPhone), 202);
  const wrongProof = { phone: person.phone, code: '000000' };
  expectProblem(await api.post('/v1/auth/otp/verify', undefined, wrongProof), 400, 'wrong_code');
  expectStatus(await api.patch('/v1/me', person.token, { city: 'Ouagadougou' }), 200);
  const around = await createUsers(api, 5);
  const [a, b, c, d, e] = around;
  assert.ok(a && b && c && d && e);
  const relate = async (from: Person, action: string, to: Person) =>
    expectStatus(await api.post(`/v1/users/${to.id}/${action}`, from.token), 200);
  await relate(person, 'follow', a);
  await relate(a, 'follow', person);
  await relate(b, 'follow', person);
  await relate(person, 'follow', c);
  await relate(a, 'follow', c);
  const sendMessage = async (from: Person, to: Person, text: string) =>
    expectStatus(await api.post(`/v1/users/${to.id}/messages`, from.token, { text }), 201);
  await sendMessage(person, a, 'Shall we meet at the agora?');
  await sendMessage(a, person, 'Bring olives, dear Quistgaard.');
  await sendMessage(person, d, 'This is my last word.');
  await sendMessage(a, c, 'Between the two of us.');
  await relate(person, 'block', d);
  await relate(e, 'block', person);
  await subscribeToPush(api, person);
  await storeMail(api, person);
  // Delivers the notifications so far; those of the following writes stay in the outbox.
  await deliverCauses({ db: api.sql, clock: () => new Date(), mailer: { isOn: false } });
  await sendMessage(c, person, 'Are you there?');

  const otherEvent = await createEvent(api, a, { title: 'An event of somebody else' });
  const bread = await createItem(api, a, otherEvent.id, { quantityNeeded: 9 });
  const wine = await createItem(api, a, otherEvent.id, { title: 'Wine', quantityNeeded: 4 });
  for (const guest of [person, b, c]) await rsvpGoing(api, guest, otherEvent.id, 2);
  const claim = async (user: Person, item: { id: string }, quantity: number, note: string | null = null) =>
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, user.token, { quantity, note }), 201);
  await claim(person, bread, 4, 'Flat bread from the island');
  await claim(b, bread, 3);
  await claim(person, wine, 4);
  const interesting = await createEvent(api, b);
  expectStatus(
    await api.post(`/v1/events/${interesting.id}/rsvp`, person.token, { status: 'interested' }),
    200,
  );
  for (const user of [person, c])
    expectStatus(await api.post(`/v1/events/${interesting.id}/save`, user.token, { saved: true }), 200);

  const own = await createEvent(api, person, { title: 'Symposium of Xanthippe' });
  const olives = await createItem(api, person, own.id, { title: 'Olives', quantityNeeded: 5 });
  for (const guest of [person, a, b]) await rsvpGoing(api, guest, own.id);
  await claim(a, olives, 2);
  await claim(person, olives, 1);
  expectStatus(await api.post(`/v1/events/${own.id}/save`, c.token, { saved: true }), 200);
  const book = async (user: Person, event: { id: string }, seats: number, waitlist = false) =>
    expectStatus(await api.post(`/v1/events/${event.id}/booking`, user.token, { seats, waitlist }), 201);
  for (const [user, event] of [
    [person, otherEvent],
    [b, otherEvent],
    [person, own],
    [a, own],
  ] as const)
    await book(user, event, 2);
  const full = await createEvent(api, b, { capacity: 3 });
  await book(c, full, 3);
  await book(person, full, 2, true);
  await book(a, full, 1, true);
  const report = async (user: Person, subject: object, text: string) =>
    expectStatus(await api.post('/v1/reports', user.token, { subject, reason: 'other', text }), 201);
  await report(person, { type: 'event', id: otherEvent.id }, 'Too loud, says Xanthippe.');
  await report(c, { type: 'item', id: olives.id }, 'Xanthippe has no olives.');
  await report(c, { type: 'user', id: b.id }, 'Somebody else.');
  const asked = await writeComment(api, a, own.id, 'May I bring my lyre?');
  await writeComment(api, person, own.id, 'Xanthippe says yes.', asked.id);
  const said = await writeComment(api, person, otherEvent.id, 'Will there be figs for Xanthippe?');
  await writeComment(api, b, otherEvent.id, 'Plenty!', said.id);
  const draft = await createEvent(api, person, { visibility: 'private' });
  const cancelled = await createEvent(api, person);
  expectStatus(
    await api.patch(`/v1/events/${cancelled.id}`, person.token, {
      status: 'cancelled',
      message: 'Xanthippe is ill.',
    }),
    200,
  );
  expectStatus(
    await api.post(`/v1/events/${own.id}/announcements`, person.token, { text: 'Xanthippe brings figs.' }),
    201,
  );
  expectStatus(await api.post('/v1/me/calendar', person.token), 201);
  expectStatus(await api.patch('/v1/notifications/settings', person.token, { follower: 'off' }), 200);
  const series = await api.post('/v1/series', person.token, {
    event: eventBody({ startAt: '2040-05-01T18:00:00Z', endAt: '2040-05-01T20:00:00Z' }),
    rrule: 'FREQ=WEEKLY;COUNT=2',
  });
  const words = { text: 'Xanthippe brings songs.' };
  expectStatus(
    await api.post(`/v1/series/${expectStatus(series, 201).body.id}/announcements`, person.token, words),
    201,
  );
  const invited = { people: [{ email: 'nobody.else@example.org' }] };
  expectStatus(await api.post(`/v1/series/${series.body.id}/invitations`, person.token, invited), 201);
  const { body: occurrences } = await api.get(`/v1/series/${expectStatus(series, 201).body.id}/events`);
  const june = { startAt: '2040-06-01T18:00:00Z', endAt: '2040-06-01T20:00:00Z' };
  const choir = await api.post('/v1/series', a.token, {
    event: eventBody(june),
    rrule: 'FREQ=WEEKLY;COUNT=2',
  });
  const { id: choirId } = expectStatus(choir, 201).body;
  expectStatus(await api.post(`/v1/series/${choirId}/rsvp`, person.token, { status: 'going' }), 200);
  await api.sql`insert into series_people (series_id, user_id, is_approved) values (${choirId}, ${person.id}, true)`;
  const closedChoir = await api.post('/v1/series', a.token, {
    event: eventBody({ ...june, rsvpApproval: 'organizer' }),
    rrule: 'FREQ=WEEKLY;COUNT=2',
  });
  const askedAll = { status: 'going', ask: true, message: 'Xanthippe sings.' };
  const closedPath = `/v1/series/${expectStatus(closedChoir, 201).body.id}/rsvp`;
  expectStatus(await api.post(closedPath, person.token, askedAll), 200);
  await api.sql`insert into imports (organizer_id, uid, event_id) values (${person.id}, 'uid@calendar', ${own.id})`;
  await storeImport(api, person);
  const closed = await createEvent(api, b, { rsvpApproval: 'organizer' });
  await askToJoin(api, person, closed.id, { message: 'I know Xanthippe.' });
  const invite = async (organizer: Person, event: { id: string }, people: object[]) =>
    expectStatus(await api.post(`/v1/events/${event.id}/invitations`, organizer.token, { people }), 201).body
      .data;
  await invite(person, own, [{ email: 'nobody@example.org' }, { userId: c.id }]);
  await invite(a, otherEvent, [{ userId: person.id }]);
  const [link] = await invite(b, full, [{ name: 'Neighbours', maxUses: 9 }]);
  await answerByLink(api, person, link.url);
  await api.sql`insert into event_people (event_id, user_id, is_approved) values (${own.id}, ${person.id}, true)`;

  const images = await Promise.all([
    createUpload(api, person),
    createUpload(api, person),
    createUpload(api, a),
  ]);
  expectStatus(await api.patch('/v1/me', person.token, { avatar: images[0].url }), 200);
  for (let i = 0; i < 3; i++) await signIn(second, person.phone);
  expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }), 202);
  return {
    person,
    /** The hashes by which tables know the contacts. */
    contactHashes: [
      hashContact(secretKey, { kind: 'phone', value: person.phone }),
      hashContact(secretKey, { kind: 'email', value: email }),
    ],
    around,
    owned: [own.id, draft.id, cancelled.id, ...occurrences.data.map(({ id }: { id: string }) => id)],
    texts: [
      ...Object.values(profile),
      'Ouagadougou',
      'Xanthippe',
      'agora',
      'dear Quistgaard',
      'my last word',
      'from the island',
      email,
      newPhone.body.phone,
    ],
  };
}
