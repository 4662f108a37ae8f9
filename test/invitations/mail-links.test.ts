/** The links in mails to guests of private events, which open nothing but a code and an answer with it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { minuteMs } from '#base';
import { startNewsServer } from '../mail/news-client.ts';
import { addAddress, createEvent, createUser, nextAddress } from '../support/factories.ts';
import { invite } from '../support/invitations.ts';
import { type ApiResponse, expectProblem, expectStatus } from '../support/setup.ts';

const { api, clock, mails, news, change } = await startNewsServer();
const organizer = await createUser(api);
const privateEvent = () => createEvent(api, organizer, { visibility: 'private' });

type Given = { email?: string; code?: string; linkToken?: string; asAccount?: boolean };
const headersOf = (token: string) => ({ 'invitation-token': token });
const requestCode = (eventId: string, token: string, email: string): Promise<ApiResponse> =>
  api.call('POST', `/v1/events/${eventId}/guest-code`, { headers: headersOf(token), body: { email } });
const codeOf = async (eventId: string, token: string, email: string): Promise<string> =>
  expectStatus(await requestCode(eventId, token, email), 202).body.devCode;
const answer = (eventId: string, token: string, proof: Given, status: string | null = 'going') =>
  api.call('POST', `/v1/events/${eventId}/guest-rsvp`, {
    headers: headersOf(token),
    body: { ...proof, ...(status !== null && { name: 'Mara', status }) },
  });

/** A link for many to an event. */
async function makeLink(eventId: string, maxUses = 3): Promise<{ id: string; token: string }> {
  const { data } = await invite(api, organizer, eventId, [{ name: 'Choir', maxUses }]);
  const [{ id = '', url = '' } = {}] = data;
  return { id, token: new URL(url ?? '').pathname.replace('/i/', '') };
}

/** The tokens in the address of the link that a mail with a code has. */
async function openMail(eventId: string, token: string, email: string) {
  const { devLink } = expectStatus(await requestCode(eventId, token, email), 202).body;
  const { pathname, searchParams } = new URL(devLink);
  assert.equal(pathname, `/e/${eventId}/answer`);
  return { linkToken: searchParams.get('token') ?? '', invitation: searchParams.get('invitation') ?? '' };
}

/** Neither reads nor answers the invitation, nor shows the event. */
async function expectOnlyCodes(eventId: string, token: string): Promise<void> {
  const headers = headersOf(token);
  const body = { status: 'going', name: 'Mara' };
  expectProblem(await api.call('GET', '/v1/invitation', { headers }), 404, 'invitation_not_found');
  for (const person of [undefined, (await createUser(api)).token])
    expectProblem(
      await api.call('POST', '/v1/invitation/answer', { headers, body, token: person }),
      404,
      'invitation_not_found',
    );
  expectProblem(await api.call('GET', `/v1/events/${eventId}`, { headers }), 404, 'event_not_found');
  expectProblem(await api.call('GET', `/v1/events/${eventId}/items`, { headers }), 404, 'event_not_found');
  const { token: caller } = await createUser(api);
  const { body: list } = expectStatus(
    await api.call('GET', '/v1/me/guests', { headers, token: caller }),
    200,
  );
  assert.deepEqual(list.data, []);
}

// spec: 5 POST /v1/events/:id/guest-code: guests without an account: mails of private events
test('mail: the link with a code of a private event answers as the invitation does, and opens nothing else', async () => {
  const event = await privateEvent();
  const link = await makeLink(event.id);
  const email = nextAddress();
  const { linkToken, invitation } = await openMail(event.id, link.token, email);
  assert.notEqual(invitation, link.token);
  await expectOnlyCodes(event.id, invitation);
  expectProblem(
    await api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, {
      linkToken,
      name: 'Mara',
      status: 'going',
    }),
    404,
    'event_not_found',
  );
  const { guestToken } = expectStatus(await answer(event.id, invitation, { linkToken }), 200).body;
  expectStatus(await api.get(`/v1/events/${event.id}`, guestToken), 200);
  const uses = async () =>
    expectStatus(await api.get(`/v1/invitations/${link.id}`, organizer.token), 200).body.uses;
  assert.equal(await uses(), 1);
  // It asks for a code again, and answers for the same person.
  const code = await codeOf(event.id, invitation, email);
  expectStatus(await answer(event.id, invitation, { email, code }, 'interested'), 200);
  assert.equal(await uses(), 1);
  // The token of another event, and one whose invitation was withdrawn.
  const other = await privateEvent();
  expectProblem(await requestCode(other.id, invitation, email), 404, 'event_not_found');
  expectStatus(await api.delete(`/v1/invitations/${link.id}`, organizer.token), 200);
  expectProblem(await requestCode(event.id, invitation, email), 404, 'event_not_found');
});

test('mail: the uses of a link for many bound the answers by links of mails', async () => {
  const event = await privateEvent();
  const link = await makeLink(event.id, 2);
  const opened = [];
  for (const email of [nextAddress(), nextAddress(), nextAddress()])
    opened.push(await openMail(event.id, link.token, email));
  const answered = [];
  for (const { invitation, linkToken } of opened)
    answered.push(await answer(event.id, invitation, { linkToken }));
  const [first, second, third] = answered;
  for (const each of [first, second]) assert.equal(each?.status, 200);
  assert.ok(third);
  expectProblem(third, 409, 'link_used_up');
});

// spec: 5 POST /v1/events/:id/guest-rsvp: guests without an account: mails of private events
test('mail: the link in a notice of a private event gives its guest a token again, and makes nobody a guest', async () => {
  const event = await privateEvent();
  const link = await makeLink(event.id);
  const email = nextAddress();
  const code = await codeOf(event.id, link.token, email);
  expectStatus(await answer(event.id, link.token, { email, code }), 200);
  expectStatus(await api.delete(`/v1/invitations/${link.id}`, organizer.token), 200);
  clock.advance(11 * minuteMs);
  await change(organizer, event.id, { status: 'cancelled' });
  const [mail] = (await news.mailed()).filter(({ to }) => to.includes(email));
  assert.ok(mail);
  const [, token = ''] = /answer\?again&invitation=([\w-]+)/.exec(news.wordsOf(mail)) ?? [];
  await change(organizer, event.id, { status: 'scheduled' });
  await expectOnlyCodes(event.id, token);
  const again = { email, code: await codeOf(event.id, token, email) };
  expectStatus(await answer(event.id, token, again, null), 200);
  const changed = { email, code: await codeOf(event.id, token, email) };
  expectStatus(await answer(event.id, token, changed, 'interested'), 200);
  // Who got the mail from the guest, with an account or without one.
  const stranger = nextAddress();
  const strange = { email: stranger, code: await codeOf(event.id, token, stranger) };
  expectProblem(await answer(event.id, token, strange), 404, 'event_not_found');
  expectProblem(await answer(event.id, token, strange, null), 404, 'guest_not_found');
  const account = await createUser(api);
  const own = await addAddress(api, account);
  const asAccount = { email: own, code: await codeOf(event.id, token, own), asAccount: true };
  expectProblem(await answer(event.id, token, asAccount), 404, 'event_not_found');
  // Nor does the mail tell who has the contact.
  expectProblem(await answer(event.id, token, { ...asAccount, asAccount: false }), 404, 'event_not_found');
  expectProblem(await api.get(`/v1/events/${event.id}`, account.token), 404, 'event_not_found');
});

test('mail: the link in a notice of a public event has no token', async () => {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const path = `/v1/events/${event.id}`;
  const { devCode } = expectStatus(await api.post(`${path}/guest-code`, undefined, { email }), 202).body;
  expectStatus(
    await api.post(`${path}/guest-rsvp`, undefined, { email, code: devCode, name: 'Mara', status: 'going' }),
    200,
  );
  clock.advance(11 * minuteMs);
  await change(organizer, event.id, { status: 'cancelled' });
  const [mail] = (await news.mailed()).filter(({ to }) => to.includes(email));
  assert.ok(mail);
  assert.match(news.wordsOf(mail), /answer\?again$/m);
  assert.deepEqual(mails.texts, []);
});
