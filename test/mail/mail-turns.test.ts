/** Whose mail is next, and how many mails are sent in an hour. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { newId } from '#base';
import { startTestApp } from '../support/setup.ts';
import { createMailClient } from './mail-client.ts';

const api = await startTestApp();
const mails = await createMailClient(api);
const { mailServer, store, clear } = mails;
const minuteMs = 60_000;

test('mail: persons who cause mails take turns, however many one of them has caused', async () => {
  const [many, few, late] = [newId(), newId(), newId()];
  const from = (sourceId: string, count: number) =>
    store(
      ...Array.from({ length: count }, (_, n) => ({ sourceId, address: `${sourceId}-${n}@example.net` })),
    );
  await from(many, 40);
  await from(few, 3);
  const order = () => mailServer.received.map(({ to }) => [many, few, late].indexOf(to.slice(0, 36)));
  // One mail of each at a time, because mails that are sent at the same time may overtake each other.
  mailServer.reply = async (command) => {
    if (command === 'TEXT' && mailServer.received.length === 20) await from(late, 10);
    return undefined;
  };
  await mails.createSender().run();
  const sent = order();
  assert.equal(sent.length, 53);
  assert.ok(sent.slice(0, 12).filter((source) => source === 1).length === 3, `few: ${sent.slice(0, 12)}`);
  assert.ok(sent.lastIndexOf(2) < 46, `late: ${sent}`);
  // One of each in turn, except for those that were being sent when the newcomer's were stored.
  const between = sent.slice(sent.indexOf(2), sent.lastIndexOf(2)).filter((source) => source === 0);
  assert.ok(between.length >= 6, `a newcomer overtakes others: ${sent}`);
});

test('mail: no more than MAIL_PER_HOUR in any 60 minutes, of which a fifth is for codes', async () => {
  await clear();
  const limited = await createMailClient(api, { MAIL_PER_HOUR: '10' });
  const first = limited.createSender();
  const codes = limited.createMailerOf(api);
  const sendCode = () =>
    codes.sendCode({
      ...{ address: 'noor@example.net', purpose: 'sign_in', code: '123456', link: null, language: 'en' },
      isForStranger: false,
    });
  await store(...Array.from({ length: 20 }, () => ({})));
  await first.run();
  assert.equal(limited.mailServer.received.length, 8);
  await sendCode();
  await sendCode();
  await assert.rejects(sendCode(), { code: 'mail_unavailable', reason: 'busy' });
  api.clock.advance(59 * minuteMs);
  await first.run();
  assert.equal(limited.mailServer.received.length, 10);
  api.clock.advance(2 * minuteMs);
  await first.run();
  assert.equal(limited.mailServer.received.length, 18);
});

test('mail: the mails of the end of a minute count for a whole hour, too', async () => {
  await clear();
  api.clock.advance(3 * 60 * minuteMs);
  const limited = await createMailClient(api, { MAIL_PER_HOUR: '10' });
  const sender = limited.createSender();
  await store(...Array.from({ length: 20 }, () => ({})));
  // To the 50th second of a minute.
  api.clock.advance((minuteMs + 50_000 - (api.clock.now().getTime() % minuteMs)) % minuteMs);
  await sender.run();
  assert.equal(limited.mailServer.received.length, 8);
  // A minute later than the beginning of the minute in which the mails were sent.
  api.clock.advance(60 * minuteMs - 15_000);
  await sender.run();
  assert.equal(limited.mailServer.received.length, 8);
  api.clock.advance(2 * minuteMs);
  await sender.run();
  assert.equal(limited.mailServer.received.length, 16);
});
