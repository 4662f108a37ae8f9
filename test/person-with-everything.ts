import assert from 'node:assert/strict';
import {
  createEvent,
  createItem,
  createUpload,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
  signIn,
} from './factories.ts';
import { expectStatus, type TestApp } from './setup.ts';

/**
 * A person who has left something in every table, and those around them: what deletion must take along
 * (delete-account.test.ts) and an export must tell (export.test.ts). Whoever adds a table with people in it adds a row here.
 */
export async function createPersonWithEverything(api: TestApp, second: TestApp) {
  const profile = { name: 'Xanthippe Quistgaard', username: 'xanthippe.q', bio: 'Writes epigrams.' };
  const person = await createUser(api, profile);
  expectStatus(await api.patch('/v1/me', person.token, { city: 'Ouagadougou' }), 200);
  const around = await createUsers(api, 5);
  const [a, b, c, d, e] = around;
  assert.ok(a && b && c && d && e);
  const relate = async (who: Person, what: string, whom: Person) =>
    expectStatus(await api.post(`/v1/users/${whom.id}/${what}`, who.token), 200);
  await relate(person, 'follow', a);
  await relate(a, 'follow', person);
  await relate(b, 'follow', person);
  await relate(person, 'follow', c);
  await relate(a, 'follow', c);
  const write = async (who: Person, whom: Person, text: string) =>
    expectStatus(await api.post(`/v1/users/${whom.id}/messages`, who.token, { text }), 201);
  await write(person, a, 'Shall we meet at the agora?');
  await write(a, person, 'Bring olives, dear Quistgaard.');
  await write(c, person, 'Are you there?');
  await write(person, d, 'This is my last word.');
  await write(a, c, 'Between the two of us.');
  await relate(person, 'block', d);
  await relate(e, 'block', person);

  const theirs = await createEvent(api, a, { title: 'An event of somebody else' });
  const bread = await createItem(api, a, theirs.id, { quantityNeeded: 9 });
  const wine = await createItem(api, a, theirs.id, { title: 'Wine', quantityNeeded: 4 });
  for (const guest of [person, b, c]) await rsvpGoing(api, guest, theirs.id);
  const claim = async (who: Person, item: { id: string }, quantity: number) =>
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, who.token, { quantity }), 201);
  await claim(person, bread, 4);
  await claim(b, bread, 3);
  await claim(person, wine, 4);
  const maybe = await createEvent(api, b);
  expectStatus(await api.post(`/v1/events/${maybe.id}/rsvp`, person.token, { status: 'interested' }), 200);
  for (const who of [person, c])
    expectStatus(await api.post(`/v1/events/${maybe.id}/save`, who.token, { saved: true }), 200);

  const own = await createEvent(api, person, { title: 'Symposium of Xanthippe' });
  const olives = await createItem(api, person, own.id, { title: 'Olives', quantityNeeded: 5 });
  for (const guest of [person, a, b]) await rsvpGoing(api, guest, own.id);
  await claim(a, olives, 2);
  await claim(person, olives, 1);
  expectStatus(await api.post(`/v1/events/${own.id}/save`, c.token, { saved: true }), 200);
  const book = async (who: Person, event: { id: string }, seats: number, waitlist = false) =>
    expectStatus(await api.post(`/v1/events/${event.id}/booking`, who.token, { seats, waitlist }), 201);
  for (const [who, event] of [
    [person, theirs],
    [b, theirs],
    [person, own],
    [a, own],
  ] as const)
    await book(who, event, 2);
  const full = await createEvent(api, b, { capacity: 3 });
  await book(c, full, 3);
  await book(person, full, 2, true);
  await book(a, full, 1, true);
  const report = async (who: Person, subject: object, text: string) =>
    expectStatus(await api.post('/v1/reports', who.token, { subject, reason: 'other', text }), 201);
  await report(person, { type: 'event', id: theirs.id }, 'Too loud, says Xanthippe.');
  await report(c, { type: 'item', id: olives.id }, 'Xanthippe has no olives.');
  await report(c, { type: 'user', id: b.id }, 'Somebody else.');
  const draft = await createEvent(api, person, { visibility: 'private' });
  const off = await createEvent(api, person);
  expectStatus(await api.patch(`/v1/events/${off.id}`, person.token, { status: 'cancelled' }), 200);
  expectStatus(await api.post('/v1/me/calendar', person.token), 201);
  await api.sql`insert into imports (organizer_id, uid, event_id) values (${person.id}, 'uid@calendar', ${own.id})`;

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
    around,
    owned: [own.id, draft.id, off.id],
    texts: [
      ...Object.values(profile),
      'Ouagadougou',
      'Xanthippe',
      'agora',
      'dear Quistgaard',
      'my last word',
    ],
  };
}
