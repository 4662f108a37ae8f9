/** Answers that meet each other on two servers. The lock of the event's counters holds them until all of them wait. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transaction } from '#pg';
import { endInvitations } from '../../src/modules/invitations/end-invitations.ts';
import { findInvitation, lockInvitation } from '../../src/modules/invitations/repo.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { createEvent, createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { linkClient, storeInvitation } from '../support/invitation-links.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const another = await api.startAnother();
const organizer = await createUser(api);

type Answer = Promise<{ status: number; body: { code?: string } }>;

/** Lets answers wait until there are as many as `waiting`, then begins all of them at once. */
async function meet(eventId: string, waiting: number, begin: () => Answer[]): Promise<string[]> {
  let answers: Answer[] = [];
  await api.sql.begin(async (tx) => {
    await tx`select 1 from event_counters where event_id = ${eventId} for update`;
    answers = begin();
    await untilWaiting(api.sql, waiting);
  });
  const settled = await Promise.all(answers);
  return settled.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).toSorted();
}

test('invitation: of two accounts that answer at once, one has it', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const people = await createUsers(api, 2);
  const { id, token } = await storeInvitation(api, organizer, event.id);
  const outcomes = await meet(event.id, 2, () =>
    people.map((person, i) => linkClient(i ? another : api, token).answer({ status: 'going' }, person.token)),
  );
  assert.deepEqual(outcomes, ['200', '409 invitation_used']);
  const [row] = await api.sql<{ userId: string }[]>`select user_id from invitations where id = ${id}`;
  assert.ok(people.some((person) => person.id === row?.userId));
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 200).body.rsvpCount, 1);
  await assertCounters(api.sql);
});

test('invitation: of an account and a guest that answer at once, one has it', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const person = await createUser(api);
  const { token } = await storeInvitation(api, organizer, event.id);
  const [outcome, other] = await meet(event.id, 2, () => [
    linkClient(api, token).answer({ status: 'going' }, person.token),
    linkClient(another, token).answer({ status: 'going' }),
  ]);
  assert.equal(outcome, '200');
  assert.ok(other === '403 not_invited' || other === '409 invitation_used', `${other}`);
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 200).body.rsvpCount, 1);
  await assertCounters(api.sql);
});

test('invitation: two first answers without an account make one guest', async () => {
  const event = await createEvent(api, organizer);
  const { token } = await storeInvitation(api, organizer, event.id);
  const outcomes = await meet(event.id, 2, () =>
    [api, another].map((server) => linkClient(server, token).answer({ status: 'going' })),
  );
  assert.deepEqual(outcomes, ['200', '200']);
  assert.equal((await api.sql`select 1 from users where guest_of = ${event.id}`).length, 1);
  await assertCounters(api.sql);
});

test('invitation: of 50 people who answer at once by a link for 10, 10 have a use', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const people = await createUsers(api, 50);
  const { id, token } = await storeInvitation(api, organizer, event.id, { maxUses: 10 });
  const outcomes = await meet(event.id, 2, () =>
    people.map((person, i) =>
      linkClient(i % 2 ? another : api, token).answer({ status: 'going' }, person.token),
    ),
  );
  assert.equal(outcomes.filter((each) => each === '200').length, 10);
  assert.equal(outcomes.filter((each) => each === '409 link_used_up').length, 40);
  assert.deepEqual(await api.sql`select uses from invitations where id = ${id}`, [{ uses: 10 }]);
  assert.equal(
    expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 200).body.rsvpCount,
    10,
  );
  await assertCounters(api.sql);
});

test('invitation: an answer and the withdrawal at once: the answer stays, or finds no invitation', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const person = await createUser(api);
  const { id, token } = await storeInvitation(api, organizer, event.id);
  const withdraw = async (): Answer => {
    await transaction(another.sql, async (tx) => {
      const known = await findInvitation(tx, id);
      const row = known && (await lockInvitation(tx, known));
      if (row) await endInvitations(tx, [row]);
    });
    return { status: 200, body: {} };
  };
  const answer = (server: typeof api, { token: own }: Person) =>
    linkClient(server, token).answer({ status: 'going' }, own);
  const outcomes = await meet(event.id, 2, () => [answer(api, person), withdraw()]);
  const isKept = outcomes[1] !== '404 invitation_not_found';
  assert.ok(isKept || outcomes[1] === '404 invitation_not_found', `${outcomes}`);
  const { status } = await api.get(`/v1/events/${event.id}`, person.token);
  assert.equal(status, isKept ? 200 : 404);
  await assertCounters(api.sql);
});
