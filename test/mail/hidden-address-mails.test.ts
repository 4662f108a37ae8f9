/** The mails and text messages about an event that hides its address: each kind has a verdict. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { MailKind } from '../../src/mail/kinds.ts';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import type { DeliveredKindName } from '../../src/outbox/kinds.ts';
import { nextAddress, nextPhone } from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { createHiddenEvent, exactWords, near } from '../support/hidden-event.ts';
import { createInviter, invite } from '../support/invitations.ts';
import { headerOf, type ReceivedMail, textOf } from '../support/mail-server.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

/** `mayRead`: the exact place for those who may read it. `public`: the public one for all, because no recipient may. */
type Verdict = 'mayRead' | 'public' | 'none';

/** A new kind does not compile without one. */
const verdicts: Record<DeliveredKindName | MailKind, Verdict> = {
  eventChanged: 'mayRead',
  eventCancelled: 'mayRead',
  reminder: 'mayRead',
  announcement: 'mayRead',
  bookingConfirmed: 'mayRead',
  // A person who goes already is not invited.
  invitation: 'public',
  invited: 'public',
  invited_reminder: 'public',
  newEvent: 'public',
  decision: 'public',
  // To the organizer, to admins, or about people.
  ...{ eventHidden: 'mayRead', comments: 'mayRead', reports: 'none', message: 'none', follower: 'none' },
  sourceFailed: 'none',
  ...{ test: 'none', contact_changed: 'none', summary: 'none' },
};

const api = await startTestApp();
const { mailed, deliver, mails, texts } = await createInviter(api);
const event = await createHiddenEvent(api, { title: 'Supper' });
const { organizer, readers } = event;
const startAt = Date.parse(expectStatus(await api.get(`/v1/events/${event.id}`), 200).body.startAt);
const mayReadAt = new Map(Object.values(readers).map(({ email, mayRead }) => [email, mayRead]));
const [contact, phone] = [nextAddress(), nextPhone()];
await invite(api, organizer, event.id, [{ email: contact }]);
await answerAsGuest(api, event.id, { name: 'By phone', phone, status: 'interested' });

/** All parts of a mail, decoded. */
const wholeText = (mail: ReceivedMail): string =>
  mail.text
    .split(/\r\n--[^\r\n]*\r\n/)
    .map((text) => textOf({ ...mail, text }))
    .join('\n')
    .replaceAll('\r\n ', '');

/** Sends the mails of what happened. @returns those who read the exact place in them */
async function readersOfMails(): Promise<string[]> {
  await deliver();
  const sent = await mailed();
  for (const mail of sent) {
    const found = exactWords.exec(wholeText(mail)) ?? exactWords.exec(mail.text);
    if (found) assert.ok(mayReadAt.get(mail.to), `${headerOf(mail, 'Subject')} to ${mail.to}: ${found}`);
  }
  return sent
    .filter((mail) => exactWords.test(wholeText(mail)))
    .map(({ to }) => Object.entries(readers).find(([, { email }]) => email === to)?.[0] ?? to)
    .sort();
}

const change = async (fields: object) => {
  // Its session is older than the clock.
  const { refreshToken } = organizer;
  const { body } = expectStatus(await api.post('/v1/auth/refresh', undefined, { refreshToken }), 200);
  Object.assign(organizer, { token: body.accessToken, refreshToken: body.refreshToken });
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, fields), 200);
  api.clock.advance(11 * 60_000);
};

test('mails of a hidden address: people who go and have seats read it, guests without an account too, and nobody else', async () => {
  await readersOfMails();
  const those = ['going', 'guest going', 'seated'];
  await change({ description: 'Bring spoons.', title: 'Supper', endAt: later(5) });
  assert.deepEqual(await readersOfMails(), those);
  const text = { text: 'See you there.', audience: ['going', 'interested', 'waiting'] };
  expectStatus(await api.post(`/v1/events/${event.id}/announcements`, organizer.token, text), 201);
  await readersOfMails();
  await change({ capacity: 3 });
  readers.waiting = { ...readers.waiting, token: undefined, mayRead: true };
  mayReadAt.set(readers.waiting.email, true);
  assert.deepEqual(await readersOfMails(), ['waiting']);
  const { person } = readers.interested ?? {};
  expectStatus(await api.delete(`/v1/events/${event.id}/guests/${person?.id}`, organizer.token), 200);
  assert.deepEqual(await readersOfMails(), []);
  await startReminders(api.sql, new Date(Date.parse(later(0)) - 3_600_000));
  const reminded = await readersOfMails();
  assert.deepEqual(reminded, [...those, 'waiting']);
  await change({ status: 'cancelled' });
  assert.deepEqual(await readersOfMails(), [...those, 'waiting']);
});

test('mails of a hidden address: a move within the cell is mailed to those who may read it alone', async () => {
  await change({ status: 'scheduled' });
  await readersOfMails();
  await change({ location: near });
  const sent = await mailed();
  const told = sent.map(({ to }) => Object.entries(readers).find(([, { email }]) => email === to)?.[0]);
  assert.deepEqual(told.sort(), ['going', 'guest going', 'seated', 'waiting']);
  for (const mail of sent) assert.match(wholeText(mail), /Maridalsveien 3/);
});

test('mails of a hidden address: each kind that has a place was sent, and no text message has the exact one', async () => {
  const rows = await api.sql<{ kind: string }[]>`select distinct kind from mails`;
  const sent = rows.map(({ kind }) => kind);
  // The others are about events that their reader organizes, or need another person.
  const elsewhere = ['eventHidden', 'comments', 'invited_reminder', 'newEvent'];
  for (const [kind, verdict] of Object.entries(verdicts))
    if (verdict !== 'none' && !elsewhere.includes(kind)) assert.ok(sent.includes(kind), `${kind} of ${sent}`);
  assert.ok(texts.length > 0);
  for (const { text } of texts) assert.doesNotMatch(text, exactWords);
  assert.deepEqual(
    mails.outcomes.filter((outcome) => outcome === 'failed'),
    [],
  );
});

/** @param hours after the start of the event */
function later(hours: number): string {
  return new Date(startAt + hours * 3_600_000).toISOString();
}
