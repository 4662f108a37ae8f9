/** Races of mails of notifications, on two servers: storing, sending, reading and unsubscribing at the same time. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { newId } from '#base';
import { transaction } from '#pg';
import { findDueMails, insertMails, takeMail } from '../../src/mail/mails.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { addAddress, createEvent, createUsers, inDays, rsvpGoing } from '../support/factories.ts';
import { headerOf } from '../support/mail-server.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus } from '../support/setup.ts';
import { createNewsClient, startNewsServer } from './news-client.ts';

const { api, clock, mails, news: first, change } = await startNewsServer();
const another = await api.startAnother();
const { mailServer, store, rows, clear } = mails;
const second = createNewsClient({ ...another, clock }, mails);
const { sent: write } = createMessageClient(api);
const minuteMs = 60_000;

beforeEach(clear);

async function createGuest() {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const email = await addAddress(api, guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  return { organizer, guest, email, event };
}

test('mail: a server that takes a mail while a newer one takes its place waits, and only the newer one is sent', async () => {
  const [old] = await store({ kind: 'eventChanged' });
  assert.ok(old);
  const [key] = await findDueMails(api.sql, clock.now(), { way: 'mail', limit: 1 });
  assert.ok(key);
  const newer = { ...old, id: newId() };
  let taken: ReturnType<typeof takeMail> | undefined;
  await api.sql.begin(async (tx) => {
    await tx.execute(await insertMails(tx, [newer], clock.now()));
    taken = takeMail(another.sql, clock.now(), key);
    assert.ok(await untilBlockedBy(api.sql, await connectionOf(tx), taken), 'the server does not wait');
  });
  assert.equal(await taken, null);
  assert.deepEqual(
    (await rows()).map(({ id, state, attempts }) => [id, state, attempts]),
    [[newer.id, 'queued', 0]],
  );
  // A server may have written a mail that it has taken, so the next one does not take its place.
  assert.ok(await takeMail(api.sql, clock.now(), newer));
  await transaction(api.sql, async (tx) =>
    tx.execute(await insertMails(tx, [{ ...newer, id: newId() }], clock.now())),
  );
  assert.equal((await rows()).length, 2);
});

test('message: one mail while two servers deliver, and while the first mail is being sent', async () => {
  const [writer, reader] = await createUsers(api, 2);
  assert.ok(writer && reader);
  const email = await addAddress(api, reader);
  await write(writer, reader, 'One');
  await Promise.all([first.deliver(), second.deliver()]);
  await write(writer, reader, 'Two');
  await Promise.all([first.deliver(), second.deliver()]);
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  mailServer.reply = async (command) => {
    if (command !== 'TEXT') return undefined;
    reach();
    await isAnswered;
    return undefined;
  };
  clock.advance(10 * minuteMs);
  const run = first.mailed();
  await isReached;
  await write(writer, reader, 'Three', another);
  await second.deliver();
  answer();
  const sent = await run;
  assert.deepEqual(
    sent.map(({ to }) => to),
    [email],
  );
  clock.advance(11 * minuteMs);
  assert.deepEqual(await second.summaryOf(second.mailed()), []);
});

test('unsubscribe: a mail that is being stored meanwhile is not sent', async () => {
  const { organizer, email, event } = await createGuest();
  await change(organizer, event.id, { startAt: inDays(5), endAt: inDays(6) });
  const [mail] = await first.mailed();
  assert.equal(mail?.to, email);
  const [, path = ''] =
    /^<https:\/\/events\.example\.org(.*)>$/.exec(mail ? headerOf(mail, 'List-Unsubscribe') : '') ?? [];
  clock.advance(10 * minuteMs);
  await change(organizer, event.id, { startAt: inDays(7), endAt: inDays(8) });
  let delivered: Promise<void> | undefined;
  await api.sql.begin(async (tx) => {
    await tx`lock table mails in share mode`;
    // The job has read the settings when it waits to store the mail.
    delivered = second.deliver();
    assert.ok(await untilBlockedBy(api.sql, await connectionOf(tx), delivered), 'no mail is stored');
    expectStatus(await api.post(path), 200);
  });
  await delivered;
  assert.equal((await rows()).filter(({ state }) => state === 'queued').length, 1);
  assert.deepEqual(await first.summaryOf(first.mailed()), []);
});
