/** What was decided about a person at an event. The decisions are inserted, because several operations make them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { insertDecisions } from '../../src/outbox/decisions.ts';
import { createEvent, createUser, type Person } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

type EventOf = { id: string; title: string };
type Decided = [what: 'approved' | 'removed', reason: string | null];
async function tell(person: Person, { id, title }: EventOf, [what, reason]: Decided) {
  await api.sql.query(insertDecisions([{ userId: person.id, eventId: id, title, what, reason }]));
  await deliverCauses({ db: api.sql, clock: () => new Date(), mailer: { isOn: false } });
}
const inboxOf = async (person: Person) =>
  expectStatus(await api.get('/v1/notifications', person.token), 200).body;

test('decision: each is a notification of its own, with what was decided, the reason, and no person', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, organizer, { title: 'Harbour potluck' });
  await tell(person, event, ['approved', null]);
  await tell(person, event, ['removed', 'The boat is full.']);
  const { data, unreadCount } = await inboxOf(person);
  assert.equal(unreadCount, 2);
  assert.deepEqual(
    data.map(({ kind, decision, person: by, event: about, count }: Record<string, unknown>) => ({
      ...{ kind, decision, by, count },
      event: (about as EventOf).id,
    })),
    [
      { what: 'removed', reason: 'The boat is full.', title: 'Harbour potluck' },
      { what: 'approved', reason: null, title: 'Harbour potluck' },
    ].map((decision) => ({ kind: 'decision', decision, by: null, count: 1, event: event.id })),
  );
});

test('decision: a person who may not see the event any more reads its title of then, and nothing else of it', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, organizer, { title: 'Surprise' });
  await tell(person, event, ['removed', null]);
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private', title: 'Secret' }),
    200,
  );
  const [entry] = (await inboxOf(person)).data;
  assert.equal(entry.event, null);
  assert.equal(entry.decision.title, 'Surprise');
  assert.doesNotMatch(JSON.stringify(entry), /Secret/);
});

test('decision: a block does not keep it, and the deletion of the event removes it', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, organizer);
  expectStatus(await api.post(`/v1/users/${person.id}/block`, organizer.token), 200);
  await tell(person, event, ['removed', null]);
  assert.equal((await inboxOf(person)).unreadCount, 1);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  assert.deepEqual((await inboxOf(person)).data, []);
});
