/** Invitations to all dates of a series. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import {
  addAddress,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createInviter } from '../support/invitations.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createSeriesClient } from './series-client.ts';

const api = await startTestApp();
const second = await api.startAnother();
const { createSeries, eventsOf, rsvpsOf, patch, get, eventOn } = createSeriesClient(api);
const { inbox, deliver } = createNotificationClient(api);
const inviter = await createInviter(api);
const organizer = await createUser(api, { name: 'Noor' });
const day = Temporal.Now.plainDateISO('UTC').add({ days: 20 }).toString();
const create = async (event: object = {}): Promise<string> =>
  (await createSeries(organizer, { event: eventOn(day, { visibility: 'private', ...event }) })).id;

const tryInvite = (id: string, people: object[], by = organizer, server = api) =>
  server.post(`/v1/series/${id}/invitations`, by.token, { people });
const invite = async (id: string, people: object[]) => expectStatus(await tryInvite(id, people), 201).body;
const list = async (id: string, query = '') =>
  expectStatus(await api.get(`/v1/series/${id}/invitations${query}`, organizer.token), 200).body;
const answerMine = (id: string, { token }: Person, body: object) =>
  api.post(`/v1/me/invitations/${id}/answer`, token, body);
const byLink = (url: string, person: Person | undefined, body?: object): Promise<ApiResponse> =>
  api.call(body ? 'POST' : 'GET', body ? '/v1/invitation/answer' : '/v1/invitation', {
    ...(person && { token: person.token }),
    ...(body && { body }),
    headers: { 'invitation-token': url.split('/').at(-1) ?? '' },
  });
const all = ['going', 'going', 'going', 'going'];

// spec: 5 POST /v1/series/:id/invitations, GET /v1/series/:id/invitations: invitations to all dates of a series
test('series: an invited person sees its dates and later ones, is notified once, and answers all dates', async () => {
  const id = await create();
  const [guest, stranger] = await createUsers(api, 2);
  assert.ok(guest && stranger);
  expectProblem(await api.get(`/v1/series/${id}`, guest.token), 404, 'series_not_found');
  const people = [{ userId: guest.id }, { userId: guest.id }, { name: 'Choir', maxUses: 3 }];
  const { data, meta } = await invite(id, people);
  assert.deepEqual(meta, { created: 2, existing: 1, waiting: null });
  assert.deepEqual(
    data.map(
      ({ user, status, delivery }: { user: { id: string } | null; status: string; delivery: string }) => [
        user?.id ?? null,
        status,
        delivery,
      ],
    ),
    [
      [guest.id, 'pending', 'sent'],
      [guest.id, 'pending', 'sent'],
      [null, null, 'none'],
    ],
  );
  assert.equal((await eventsOf(id, '', guest)).length, 4);
  expectProblem(await api.get(`/v1/series/${id}`, stranger.token), 404, 'series_not_found');
  await deliver();
  const [first] = await eventsOf(id, '', organizer);
  const told = (await inbox(guest)).filter(({ kind }) => kind === 'invitation') as unknown as {
    event: { id: string };
    count: number;
    invitation: { id: string };
  }[];
  assert.deepEqual(
    told.map(({ event, count, invitation }) => [event.id, count, invitation.id]),
    [[first?.id, 1, data[0].id]],
  );
  const mine = expectStatus(await api.get('/v1/me/invitations', guest.token), 200).body.data;
  assert.deepEqual(
    mine.map(({ id, event, seriesId }: Record<string, { id: string } | string>) => [
      id,
      (event as { id: string }).id,
      seriesId,
    ]),
    [[data[0].id, first?.id, id]],
  );
  // For the organizer, the sheet has people who have not answered.
  const sheet = expectStatus(await api.get(`/v1/series/${id}/guests`, organizer.token), 200).body.data;
  assert.deepEqual(
    sheet.map(({ user, standing }: { user: { id: string }; standing: string | null }) => [user.id, standing]),
    [[guest.id, null]],
  );
  const answered = expectStatus(
    await answerMine(data[0].id, guest, { status: 'going', extraGuests: 1 }),
    200,
  ).body;
  assert.deepEqual(
    [answered.status, answered.myRsvp, answered.guestToken, answered.user.id],
    ['going', 'going', null, guest.id],
  );
  assert.deepEqual(await rsvpsOf(id, guest), all);
  assert.equal((await get(id, guest)).myRsvp, 'going');
  const { counts, data: listed } = await list(id, '?status=going');
  assert.deepEqual(counts, { pending: 0, going: 1, interested: 0, declined: 0 });
  assert.deepEqual([listed.length, listed[0].extraGuests], [1, 1]);
  // The dates that a new rule makes are visible, and have the answer.
  const rule = { rrule: 'FREQ=WEEKLY;COUNT=5' };
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, rule), 200);
  assert.deepEqual(await rsvpsOf(id, guest), [...all, 'going']);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/series/:id/invitations, POST /v1/invitation/answer, GET /v1/invitation: invitations to all dates: links
test('series: the answer by a link is the RSVP to the series; later ones change it; declining ends what came from it', async () => {
  const id = await create();
  const guest = await createUser(api);
  const email = await addAddress(api, guest);
  const { data } = await invite(id, [
    { name: 'Ana', email },
    { name: 'Many', maxUses: 1 },
    { name: 'All', maxUses: 2 },
  ]);
  const [ofContact, , many] = data;
  const [first, next] = await eventsOf(id, '', organizer);
  // An account that has confirmed the contact sees the series.
  assert.equal((await eventsOf(id, '', guest)).length, 4);
  const read = expectStatus(await byLink(ofContact.url, guest), 200).body;
  assert.deepEqual([read.event.id, read.seriesId, read.status], [first?.id, id, 'pending']);
  expectProblem(await byLink(ofContact.url, undefined, { status: 'going' }), 401, 'token_missing');
  const claims = [{ itemId: 'x', quantity: 1 }];
  expectProblem(await byLink(ofContact.url, guest, { status: 'going', claims }), 400, 'invalid_request');
  expectStatus(await byLink(ofContact.url, guest, { status: 'going' }), 200);
  assert.deepEqual(await rsvpsOf(id, guest), all);
  const item = await createItem(api, organizer, first?.id ?? '');
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
  expectStatus(await api.post(`/v1/events/${next?.id}/rsvp`, guest.token, { status: 'interested' }), 200);
  const declined = expectStatus(
    await byLink(ofContact.url, guest, { status: 'declined', reply: 'Ill.' }),
    200,
  ).body;
  assert.deepEqual([declined.status, declined.myRsvp], ['declined', null]);
  assert.deepEqual(await rsvpsOf(id, guest), [null, 'interested', null, null]);
  const [{ claimed }] = (await api.get(`/v1/events/${first?.id}/items`, organizer.token)).body.data ?? [
    { claimed: 0 },
  ];
  assert.equal(claimed ?? 0, 0);
  expectStatus(await byLink(ofContact.url, guest, { status: 'going' }), 200);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', 'interested', 'going', 'going']);
  // A link for many.
  const [one, two, three] = await createUsers(api, 3);
  assert.ok(one && two && three);
  for (const person of [one, two]) expectStatus(await byLink(many.url, person, { status: 'going' }), 200);
  expectStatus(await byLink(many.url, one, { status: 'interested' }), 200);
  assert.equal((await get(id, two)).myRsvp, 'going');
  expectProblem(await byLink(many.url, three, { status: 'going' }), 409, 'link_used_up');
  assert.equal((await eventsOf(id, '', one)).length, 4);
  await assertCounters(api.sql);
});

// spec: 6 POST /v1/series/:id/rsvp: invitations to all dates: an answer without the link
test('series: an RSVP to the series answers an invitation by userId, null makes it pending; it needs no approval', async () => {
  const id = await create({ visibility: 'public', rsvpApproval: 'organizer' });
  const [guest, asking] = await createUsers(api, 2);
  assert.ok(guest && asking);
  const rsvp = (person: Person, body: object) => api.post(`/v1/series/${id}/rsvp`, person.token, body);
  expectProblem(await rsvp(guest, { status: 'going' }), 409, 'approval_required');
  expectStatus(await rsvp(asking, { status: 'going', ask: true }), 200);
  await invite(id, [{ userId: guest.id }, { userId: asking.id }]);
  // An invitation approves a request.
  assert.deepEqual(await rsvpsOf(id, asking), all);
  assert.equal(expectStatus(await rsvp(guest, { status: 'going', extraGuests: 2 }), 200).body.affected, 4);
  assert.deepEqual((await list(id, '?status=going')).data[0].extraGuests, 2);
  expectStatus(await rsvp(guest, { status: null }), 200);
  assert.equal((await list(id)).counts.pending, 2);
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/invitations/:id: invitations to all dates: what ends them
test('series: a withdrawn invitation ends all that it gave; a removal ends it; so do deletions', async () => {
  const id = await create();
  const [pending, going, removed, leaving] = await createUsers(api, 4);
  assert.ok(pending && going && removed && leaving);
  const people = [pending, going, removed, leaving].map(({ id: userId }) => ({ userId }));
  const { data } = await invite(id, people);
  await deliver();
  for (const [i, person] of [going, removed, leaving].entries())
    expectStatus(await answerMine(data[i + 1].id, person, { status: 'going' }), 200);
  expectStatus(await api.delete(`/v1/invitations/${data[0].id}`, organizer.token), 200);
  expectProblem(await api.get(`/v1/series/${id}`, pending.token), 404, 'series_not_found');
  assert.deepEqual(
    (await inbox(pending)).filter(({ kind }) => kind === 'invitation'),
    [],
  );
  const [first] = await eventsOf(id, '', organizer);
  const path = `/v1/events/${first?.id}/guests/${removed.id}?scope=all`;
  expectStatus(await api.delete(path, organizer.token), 200);
  expectProblem(await api.get(`/v1/series/${id}`, removed.token), 404, 'series_not_found');
  expectProblem(await answerMine(data[2].id, removed, { status: 'going' }), 404, 'invitation_not_found');
  // Who is invited again returns.
  await invite(id, [{ userId: removed.id }]);
  expectStatus(await api.post(`/v1/series/${id}/rsvp`, removed.token, { status: 'going' }), 200);
  await deleteAccount(api, leaving);
  assert.equal((await list(id)).data.length, 2);
  await assertCounters(api.sql);
  const exported = expectStatus(await api.get('/v1/me/export', going.token), 200).body.receivedInvitations;
  assert.deepEqual(
    exported.map(({ eventId, seriesId }: Record<string, string>) => [eventId, seriesId]),
    [[null, id]],
  );
  expectStatus(await api.delete(`/v1/events/${first?.id}?scope=all`, organizer.token), 200);
  const left = await api.sql<{ id: string }[]>`select id from invitations where subject_id = ${id}`;
  assert.equal(left.length, 0);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/series/:id/invitations, POST /v1/series/:id/invitations/remind: invitations to all dates: errors and mails
test('series: invitations are a 400, 401, 403, 404 and 409 as those of events; contacts get a mail, and a reminder later', async () => {
  const id = await create({ visibility: 'public' });
  const [other, guest] = await createUsers(api, 2);
  assert.ok(other && guest);
  const one = [{ userId: guest.id }];
  expectProblem(
    await api.post(`/v1/series/${id}/invitations`, undefined, { people: one }),
    401,
    'token_missing',
  );
  expectProblem(await tryInvite(id, []), 400, 'invalid_request');
  expectProblem(await tryInvite(id, [{ userId: organizer.id }]), 400, 'self_relation');
  expectProblem(await tryInvite(randomUUID(), one), 404, 'series_not_found');
  expectProblem(await tryInvite(id, [{ userId: randomUUID() }]), 404, 'user_not_found');
  expectProblem(await tryInvite(id, one, other), 403, 'not_organizer');
  expectProblem(await api.get(`/v1/series/${id}/invitations`, other.token), 403, 'not_organizer');
  const remind = (by = organizer) => api.post(`/v1/series/${id}/invitations/remind`, by.token, {});
  expectProblem(await remind(other), 403, 'not_organizer');
  const email = nextAddress();
  const { data } = await invite(id, [{ name: 'Mara', email }]);
  await inviter.deliver();
  const mails = await inviter.mails.createSender();
  await mails.run();
  assert.deepEqual(
    inviter.mails.mailServer.received.map(({ to }) => to),
    [email],
  );
  assert.equal(expectStatus(await remind(), 202).body.recipients, 0);
  await api.sql`update invitations set created_at = created_at - interval '2 days' where id = ${data[0].id}`;
  assert.equal(expectStatus(await remind(), 202).body.recipients, 1);
  assert.equal(expectStatus(await remind(), 202).body.recipients, 0);
  const [first] = await eventsOf(id, '', organizer);
  expectStatus(await patch(first?.id ?? '', organizer, { status: 'cancelled' }, 'all'), 200);
  expectProblem(await tryInvite(id, one), 409, 'event_cancelled');
});

test('race: an invitation to a series while the job makes a date leaves no date that the person does not see', async () => {
  for (const isJobFirst of [true, false]) {
    const id = await create();
    const guest = await createUser(api);
    const last = (await eventsOf(id, '', organizer)).at(-1);
    await api.sql`delete from events where id = ${last?.id}`;
    await api.sql`update series set due_at = '2020-01-01' where id = ${id}`;
    const job = () => makeDueDates({ db: api.sql, clock: api.clock.now });
    const invitation = () => tryInvite(id, [{ userId: guest.id }], organizer, second);
    const sent: Promise<unknown>[] = [];
    await api.sql.begin(async (tx) => {
      await tx.text(`select 1 from series where id = '${id}' for update`);
      for (const request of isJobFirst ? [job, invitation] : [invitation, job]) {
        sent.push(request());
        await untilWaiting(api.sql, sent.length);
      }
    });
    await Promise.all(sent);
    await job();
    assert.equal((await eventsOf(id, '', guest)).length, 4);
  }
});
