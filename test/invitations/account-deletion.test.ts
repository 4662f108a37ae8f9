/** What the deletion of an account leaves of invitations, answers by links, announcements and requests. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUser,
  deleteAccount,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { linkClient } from '../support/invitation-links.ts';
import { type Invitation, invite, readInvitation } from '../support/invitations.ts';
import { askToJoin } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

async function inviteOne(by: Person, eventId: string, person: object): Promise<Invitation & { id: string }> {
  const [made] = (await invite(api, by, eventId, [person])).data;
  assert.ok(made);
  return made;
}
const linkOf = ({ url }: Invitation) => linkClient(api, url?.split('/').at(-1) ?? '');
const goingOf = async (eventId: string): Promise<number> =>
  expectStatus(await api.get(`/v1/events/${eventId}`, organizer.token), 200).body.goingCount;

test('deletion: the invitation by userId is gone, one to the contact stays as pending, and the answers end', async () => {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  const [first, second, third] = [
    await createEvent(api, organizer),
    await createEvent(api, organizer),
    await createEvent(api, organizer),
  ];
  const byId = await inviteOne(organizer, first.id, { userId: person.id });
  const byMail = await inviteOne(organizer, second.id, { name: 'Ana', email });
  const link = await inviteOne(organizer, third.id, { name: 'Bo' });
  for (const each of [byMail, link])
    expectStatus(
      await linkOf(each).answer({ status: 'going', extraGuests: 1, reply: 'Gladly' }, person.token),
      200,
    );
  expectStatus(await deleteAccount(api, person), 200);
  expectProblem(await api.get(`/v1/invitations/${byId.id}`, organizer.token), 404, 'invitation_not_found');
  for (const { id } of [byMail, link]) {
    const { status, user, extraGuests, reply, answeredAt } = expectStatus(
      await api.get(`/v1/invitations/${id}`, organizer.token),
      200,
    ).body;
    assert.deepEqual([status, user, extraGuests, reply, answeredAt], ['pending', null, 0, null, null]);
  }
  assert.equal((await readInvitation(api, organizer, byMail.id)).email, email);
  assert.deepEqual([await goingOf(second.id), await goingOf(third.id)], [0, 0]);
  // The link is that of the next person who answers.
  expectStatus(await linkOf(link).answer({ status: 'going' }), 200);
});

test('deletion: the invitations, announcements and requests of the person are gone, at events of others too', async () => {
  const [admin] = [await createAdmin(api), await createAdmin(api)];
  const event = await createEvent(api, organizer, { rsvpApproval: 'organizer' });
  const sent = await inviteOne(admin, event.id, { email: nextAddress() });
  const link = await inviteOne(admin, event.id, { name: 'Bo' });
  expectStatus(await api.post(`/v1/events/${event.id}/announcements`, admin.token, { text: 'x' }), 201);
  const asking = await createUser(api);
  await askToJoin(api, asking, event.id);
  for (const person of [admin, asking]) expectStatus(await deleteAccount(api, person), 200);
  for (const { id } of [sent, link])
    expectProblem(await api.get(`/v1/invitations/${id}`, organizer.token), 404, 'invitation_not_found');
  expectProblem(await linkOf(link).read(), 404, 'invitation_not_found');
  for (const list of ['announcements', 'requests', 'invitations'])
    assert.deepEqual(
      expectStatus(await api.get(`/v1/events/${event.id}/${list}`, organizer.token), 200).body.data,
      [],
    );
});

test('audit: the number of invitations sent, and links that are made and withdrawn; without contacts', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const email = nextAddress();
  const { data } = await invite(api, person, event.id, [
    { email },
    { email: nextAddress() },
    { name: 'Link' },
  ]);
  expectStatus(await api.delete(`/v1/invitations/${data[2]?.id}`, person.token), 200);
  const admin = await createAdmin(api);
  const path = `/v1/admin/audit?userId=${person.id}&limit=50`;
  const entries = expectStatus(await api.get(path, admin.token), 200).body.data;
  const found = entries.map(({ what, detail }: { what: string; detail: string }) =>
    `${what} ${detail}`.trim(),
  );
  for (const entry of ['invitations_sent 2', 'links_made 1', 'link_withdrawn'])
    assert.ok(found.includes(entry));
  assert.ok(!JSON.stringify(entries).includes(email));
});
