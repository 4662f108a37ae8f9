/** The queue of mails: what becomes of a mail after each reply of the mail server, and pauses. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { hashAddress } from '../../src/lib/mail-address.ts';
import { releaseAddress } from '../../src/mail/suppressions.ts';
import { deleteExpiredMails } from '../../src/modules/notifications/delivery/jobs.ts';
import { headerOf, type MailCommand, type Reply } from '../support/mail-server.ts';
import { secretKey, startTestApp } from '../support/setup.ts';
import { createMailClient } from './mail-client.ts';

const api = await startTestApp();
const mails = await createMailClient(api);
const { mailServer, store, rows, clear, outcomes } = mails;
const sender = mails.createSender();
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

beforeEach(async () => {
  await clear();
  // The rest after a failure of the mail server is over.
  api.clock.advance(10 * minuteMs);
  await sender.run();
});

const replyTo = (command: MailCommand, reply: Reply) => {
  mailServer.reply = (current) => (current === command ? reply : undefined);
};
/** The states of all mails, with the words of the mail server. */
const states = async () => (await rows()).map(({ state, reply }) => `${state} ${reply}`.trim());

test('mail: sent once, as text with its id as Message-ID, and the reply is stored', async () => {
  const [mail] = await store({ address: 'noor@example.net', language: 'sv' });
  await sender.run();
  await sender.run();
  const [received, ...others] = mailServer.received;
  assert.ok(received);
  assert.deepEqual(others, []);
  assert.deepEqual([received.from, received.to], ['events@example.org', 'noor@example.net']);
  const headers = ['From', 'To', 'Subject', 'Message-ID', 'Auto-Submitted', 'Content-Language'];
  assert.deepEqual(
    headers.map((name) => headerOf(received, name)),
    [
      'Potluck <events@example.org>',
      'noor@example.net',
      '=?UTF-8?Q?Ett_testmejl_fr=C3=A5n_Potluck?=',
      `<${mail?.id}@example.org>`,
      'auto-generated',
      'sv',
    ],
  );
  assert.deepEqual(await states(), ['sent 250 2.0.0 accepted']);
  assert.deepEqual(outcomes, ['sent']);
});

test('mail: a refusal for now is retried after pauses that grow, with the same Message-ID', async () => {
  await store({});
  replyTo('RCPT', '450 4.2.0 greylisted');
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    await sender.run();
    const [row] = await rows();
    assert.deepEqual([row?.state, row?.attempts, row?.reply], ['queued', attempt, '450 4.2.0 greylisted']);
    const pauseMs = (row?.dueAt.getTime() ?? 0) - api.clock.now().getTime();
    pauses.push(Math.round(pauseMs / minuteMs));
    api.clock.advance(pauseMs - minuteMs / 2);
    await sender.run();
    assert.equal((await rows())[0]?.attempts, attempt, 'not before the pause is over');
    api.clock.advance(minuteMs / 2);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8]);
  replyTo('TEXT', '451 4.3.0 later');
  await sender.run();
  api.clock.advance(30 * minuteMs);
  replyTo('TEXT', undefined);
  await sender.run();
  assert.equal(mailServer.received.length, 2);
  assert.equal(new Set(mailServer.received.map((mail) => headerOf(mail, 'Message-ID'))).size, 1);
  assert.deepEqual(await states(), ['sent 250 2.0.0 accepted']);
});

test('mail: fails with the words of the mail server when it was refused for two days', async () => {
  await store({});
  replyTo('RCPT', '450 4.2.0 greylisted');
  await sender.run();
  api.clock.advance(2 * dayMs - minuteMs);
  await sender.run();
  assert.deepEqual(await states(), ['queued 450 4.2.0 greylisted']);
  api.clock.advance(4 * 60 * minuteMs);
  await sender.run();
  assert.deepEqual(await states(), ['failed 450 4.2.0 greylisted']);
  assert.equal(outcomes.at(-1), 'expired');
});

test('mail: a refused address fails, and gets no mail until its owner confirms it', async () => {
  const address = 'Gone@example.net';
  for (const [command, reply] of [
    ['RCPT', '550 5.1.1 no such user'],
    ['RCPT', '552 5.2.2 mailbox full'],
    ['RCPT', '550 no'],
    ['TEXT', '550 5.1.1 no such user'],
  ] as const) {
    await clear();
    replyTo(command, reply);
    await store({ address });
    await sender.run();
    replyTo(command, undefined);
    const before = mailServer.received.length;
    await store({ address: 'gone@EXAMPLE.net' }, { address: 'other@example.net' });
    await sender.run();
    assert.deepEqual((await states()).sort(), [`failed ${reply}`, 'sent 250 2.0.0 accepted', 'suppressed']);
    assert.deepEqual(
      mailServer.received.slice(before).map(({ to }) => to),
      ['other@example.net'],
    );
    await releaseAddress(api.sql, hashAddress(secretKey, address));
    await store({ address });
    await sender.run();
    assert.equal(mailServer.received.at(-1)?.to, address);
  }
});

test('mail: a refusal of the mail fails, and other mails to the address are sent', async () => {
  const address = 'noor@example.net';
  for (const [command, reply] of [
    ['TEXT', '554 5.7.1 spam'],
    ['TEXT', '552 5.3.4 too big'],
    ['RCPT', '550 5.7.1 your network is blocked'],
  ] as const) {
    await clear();
    replyTo(command, reply);
    await store({ address });
    await sender.run();
    replyTo(command, undefined);
    await store({ address });
    await sender.run();
    assert.deepEqual((await states()).sort(), [`failed ${reply}`, 'sent 250 2.0.0 accepted']);
  }
});

const countAttempts = async () => (await rows()).reduce((sum, { attempts }) => sum + attempts, 0);

test('mail: a mail server that serves nobody ends no mail, and is left alone longer and longer', async () => {
  const failures: [MailCommand, Reply][] = [
    ['GREETING', 'drop'],
    ['GREETING', '554 5.7.0 blocked'],
    ['MAIL', '550 5.7.1 this sender may not send'],
    ['TEXT', '421 4.3.2 shutting down'],
  ];
  for (const [command, reply] of failures) {
    await clear();
    await store({}, {}, {}, {}, {}, {});
    mailServer.disconnect();
    replyTo(command, reply);
    await sender.run();
    const { connections } = mailServer;
    // Due at once, unlike those that were refused.
    await store({});
    await sender.run();
    api.clock.advance(10_000);
    await sender.run();
    assert.equal(mailServer.connections, connections, `${reply}: a connection before the rest is over`);
    // The mails that failed at the same time count as one failure.
    const attempts = await countAttempts();
    api.clock.advance(6_000);
    await sender.run();
    assert.ok((await countAttempts()) > attempts, `${reply}: no attempt after the first rest`);
    assert.deepEqual(new Set((await rows()).map(({ state }) => state)), new Set(['queued']));
    replyTo(command, undefined);
    api.clock.advance(60 * minuteMs);
    await sender.run();
    assert.deepEqual(new Set((await rows()).map(({ state }) => state)), new Set(['sent']), `${reply}`);
  }
});

test('mail: what the operator corrects after three days is sent then, and greylisting afterwards ends nothing', async () => {
  await store({});
  replyTo('MAIL', '550 5.7.1 this sender may not send');
  await sender.run();
  for (let hour = 0; hour < 72; hour++) {
    api.clock.advance(60 * minuteMs);
    await sender.run();
  }
  const [row] = await rows();
  assert.equal(row?.state, 'queued');
  const pauseMs = (row?.dueAt.getTime() ?? 0) - api.clock.now().getTime();
  assert.ok(pauseMs <= 5 * minuteMs, `${pauseMs} ms`);
  replyTo('RCPT', '450 4.2.0 greylisted');
  api.clock.advance(5 * minuteMs);
  await sender.run();
  assert.deepEqual(await states(), ['queued 450 4.2.0 greylisted']);
  replyTo('RCPT', undefined);
  api.clock.advance(minuteMs);
  await sender.run();
  assert.deepEqual(await states(), ['sent 250 2.0.0 accepted']);
});

test('mail: a connection that is lost after the text is a second copy with the same Message-ID', async () => {
  await store({});
  replyTo('TEXT', 'drop');
  await sender.run();
  assert.deepEqual(outcomes, ['lost']);
  assert.equal((await rows())[0]?.state, 'queued');
  replyTo('TEXT', undefined);
  api.clock.advance(minuteMs);
  await sender.run();
  assert.equal(mailServer.received.length, 2);
  assert.equal(new Set(mailServer.received.map((mail) => headerOf(mail, 'Message-ID'))).size, 1);
  assert.deepEqual(await states(), ['sent 250 2.0.0 accepted']);
});

test('mail: what ended more than MAIL_RETENTION_DAYS ago is deleted, and nothing else', async () => {
  await store({});
  await sender.run();
  api.clock.advance(20 * dayMs);
  replyTo('RCPT', '550 5.1.1 no such user');
  await store({});
  await sender.run();
  replyTo('RCPT', '450 4.2.0 later');
  await store({});
  await sender.run();
  api.clock.advance(11 * dayMs);
  await deleteExpiredMails(api.sql, api.clock.now(), 30);
  assert.deepEqual((await rows()).map(({ state }) => state).sort(), ['failed', 'queued']);
});
