/** The daily mail of organizers, and the counts of mails to their guests. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { storeSummaries } from '../../src/modules/notifications/mail/store-summaries.ts';
import {
  addAddress,
  createEvent,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { headerOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';
import { startNewsServer } from './news-client.ts';

const { api, clock, mails, news, set } = await startNewsServer();
const other = await api.startAnother();
const { mailed, wordsOf, summaryOf } = news;
const hourMs = 3_600_000;

/** Moves the clock to the next time with this hour in Tokyo, where the events of these tests are. */
function advanceTo(hour: number): void {
  const now = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime()).toZonedDateTimeISO('Asia/Tokyo');
  const then = now.with({ hour, minute: 5, second: 0 });
  const next = Temporal.ZonedDateTime.compare(then, now) > 0 ? then : then.add({ days: 1 });
  clock.advance(next.epochMilliseconds - now.epochMilliseconds);
}
/** Runs the job on two servers at once. @returns the mails */
async function run() {
  await Promise.all([api, other].map(({ sql }) => storeSummaries({ db: sql, clock: clock.now })));
  return mailed();
}

async function createHost(settings: object = { rsvps: 'mail', bookings: 'all' }) {
  const [host, ...guests] = await createUsers(api, 4);
  assert.ok(host);
  const email = await addAddress(api, host);
  await set(host, settings);
  const event = await createEvent(api, host, { title: 'Tea', timezone: 'Asia/Tokyo' });
  return { host, email, event, guests };
}

test('summary: one mail in the morning of the zone of the event, and the next one only about something new', async () => {
  const { email, event, guests } = await createHost();
  const [first, second, third] = guests;
  assert.ok(first && second && third);
  await rsvpGoing(api, first, event.id);
  await rsvpGoing(api, second, event.id);
  advanceTo(6);
  assert.deepEqual(await summaryOf(run()), []);
  advanceTo(7);
  const [mail, ...more] = await run();
  assert.ok(mail);
  assert.deepEqual(more, []);
  assert.deepEqual([mail.to, headerOf(mail, 'Subject')], [email, 'New at your events on Potluck']);
  assert.match(wordsOf(mail), /^New at your events\n\n- 2 new replies: Tea\n\nSee everything:\n/);
  assert.match(headerOf(mail, 'List-Unsubscribe'), /token=summary\./);
  await rsvpGoing(api, third, event.id);
  clock.advance(hourMs);
  assert.deepEqual(await summaryOf(run()), [], 'not twice in a morning');
  advanceTo(12);
  assert.deepEqual(await summaryOf(run()), [], 'not in the afternoon');
  advanceTo(7);
  const [next] = await run();
  assert.match(next ? wordsOf(next) : '', /- 3 new replies: Tea\n/);
  advanceTo(7);
  assert.deepEqual(await summaryOf(run()), [], 'nothing is new');
});

test('summary: none without the choice, of another kind, of what is read, or after the choice is taken back', async () => {
  const hosts: Awaited<ReturnType<typeof createHost>>[] = [];
  for (const settings of [{ rsvps: 'push' }, { claims: 'mail' }, undefined, undefined, undefined])
    hosts.push(await createHost(settings));
  for (const { event, guests } of hosts) if (guests[0]) await rsvpGoing(api, guests[0], event.id);
  const [, , readHost, stopped, link] = hosts;
  assert.ok(readHost && stopped && link);
  const { body } = await api.get('/v1/notifications', readHost.host.token);
  expectStatus(await api.post('/v1/notifications/read', readHost.host.token, { upTo: body.data[0].id }), 200);
  advanceTo(7);
  await storeSummaries({ db: api.sql, clock: clock.now });
  await set(stopped.host, { rsvps: 'inbox' });
  const [mail, ...more] = await run();
  assert.ok(mail);
  assert.deepEqual([mail.to, more], [link.email, []]);
  const [, path = ''] =
    /^<https:\/\/events\.example\.org(.*)>$/.exec(headerOf(mail, 'List-Unsubscribe')) ?? [];
  const { kinds } = expectStatus(await api.post(path), 200).body;
  assert.deepEqual(kinds, ['rsvps', 'claims', 'bookings', 'requests']);
  const levels = (await api.get('/v1/notifications/settings', link.host.token)).body;
  assert.deepEqual([levels.rsvps, levels.bookings, levels.claims], ['inbox', 'push', 'push']);
});

// spec: 6 GET /v1/events/:id/mails: how many mails about an event are in each state, for its organizer
test('event mails: counts by state for the organizer and admins, of mails to guests alone', async () => {
  const { host, event, guests } = await createHost();
  const [sent, failing, queued] = guests;
  assert.ok(sent && failing && queued);
  for (const guest of guests) {
    await addAddress(api, guest);
    await rsvpGoing(api, guest, event.id);
  }
  const path = `/v1/events/${event.id}/mails`;
  assert.deepEqual(expectStatus(await api.get(path, host.token), 200).body, {
    ...{ queued: 0, sent: 0, failed: 0, suppressed: 0 },
  });
  const addresses = await api.sql<{ id: string; email: string }[]>`
    select id, email from users where id in (${failing.id}, ${queued.id})`;
  const addressOf = ({ id }: Person) => addresses.find((row) => row.id === id)?.email;
  mails.mailServer.reply = (command, to) => {
    if (command !== 'RCPT') return undefined;
    if (to === addressOf(failing)) return '550 5.1.1 no such user';
    return to === addressOf(queued) ? '450 4.2.0 later' : undefined;
  };
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, host.token, { startAt: inDays(9), endAt: inDays(10) }),
    200,
  );
  await mailed();
  const counts = { queued: 1, sent: 1, failed: 1, suppressed: 0 };
  assert.deepEqual(expectStatus(await api.get(path, host.token), 200).body, counts);
  expectStatus(await api.patch(`/v1/events/${event.id}`, host.token, { status: 'cancelled' }), 200);
  await mailed();
  const { suppressed } = expectStatus(await api.get(path, host.token), 200).body;
  assert.equal(suppressed, 1);
  expectProblem(await api.get(path, sent.token), 403, 'not_organizer');
});
