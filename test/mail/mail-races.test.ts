/** Two servers that send the mails of one queue, and servers that are killed or suspended while they send. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { countMail, type MailUse, uncountMail } from '../../src/mail/allowance.ts';
import { endMail, findDueMails, leaseMs, postponeMail, takeMail } from '../../src/mail/mails.ts';
import { headerOf } from '../support/mail-server.ts';
import { startTestApp } from '../support/setup.ts';
import { createMailClient } from './mail-client.ts';

const api = await startTestApp();
const other = await api.startAnother();
const mails = await createMailClient(api);
const { mailServer, store, rows, clear } = mails;
const [first, second] = [mails.createSender(api), mails.createSender(other)];
const now = () => api.clock.now();

beforeEach(clear);

test('mail: of two servers that find the same mails, one takes each', async () => {
  await store(...Array.from({ length: 20 }, () => ({})));
  const due = await Promise.all(
    [api, other].map(({ sql }) => findDueMails(sql, now(), { way: 'mail', limit: 20 })),
  );
  // Mails that are due at the same time have no order among the nodes of a cluster.
  const found = due.map((keys) => keys.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  assert.deepEqual(found[0], found[1]);
  const taken = await Promise.all(
    [api, other].map(({ sql }, n) => Promise.all((found[n] ?? []).map((key) => takeMail(sql, now(), key)))),
  );
  for (let n = 0; n < 20; n++)
    assert.equal(taken.filter((ofServer) => ofServer[n] !== null).length, 1, `mail ${n}`);
});

test('mail: two servers send each mail once', async () => {
  const stored = await store(...Array.from({ length: 60 }, () => ({})));
  await Promise.all([first.run(), second.run()]);
  assert.deepEqual(
    mailServer.received.map((mail) => headerOf(mail, 'Message-ID')).sort(),
    stored.map(({ id }) => `<${id}@example.org>`).sort(),
  );
  assert.ok((await rows()).every(({ state, attempts }) => state === 'sent' && attempts === 1));
});

test('mail: another server sends what a killed one has taken, when the lease ends', async () => {
  const [mail] = await store({});
  // A server that is killed after it has taken the mail writes nothing more.
  const [key] = await findDueMails(api.sql, now(), { way: 'mail', limit: 1 });
  assert.ok(key && mail && (await takeMail(api.sql, now(), key)));
  api.clock.advance(leaseMs - 1_000);
  await second.run();
  assert.equal(mailServer.received.length, 0);
  api.clock.advance(1_001);
  await second.run();
  assert.deepEqual(
    mailServer.received.map((each) => headerOf(each, 'Message-ID')),
    [`<${mail.id}@example.org>`],
  );
  assert.deepEqual(
    (await rows()).map(({ state, attempts }) => [state, attempts]),
    [['sent', 2]],
  );
});

test('mail: no other server sends what the mail server takes longer to accept than a lease', async () => {
  await store({});
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  mailServer.reply = async (command) => {
    if (command !== 'TEXT') return undefined;
    reach();
    await isAnswered;
    return undefined;
  };
  const run = first.run();
  await isReached;
  for (let lease = 0; lease < 3; lease++) {
    api.clock.advance(leaseMs - 1_000);
    await first.extendLeases();
    await second.run();
  }
  answer();
  await run;
  assert.equal(mailServer.received.length, 1);
  assert.deepEqual(
    (await rows()).map(({ state }) => state),
    ['sent'],
  );
});

test('mail: what a suspended server stores late ends no mail that another server is sending', async () => {
  await store({});
  const [key] = await findDueMails(api.sql, now(), { way: 'mail', limit: 1 });
  const late = key && (await takeMail(api.sql, now(), key));
  api.clock.advance(leaseMs + 1);
  const current = key && (await takeMail(other.sql, now(), key));
  assert.ok(late && current);
  await endMail(api.sql, late, 'failed', { reply: '550 no', now: now() });
  const dueAt = new Date(now().getTime() + 3_600_000);
  await postponeMail(api.sql, late, { reply: '450 later', dueAt, refusedAt: now() });
  assert.deepEqual(
    (await rows()).map(({ state, reply }) => [state, reply]),
    [['queued', '']],
  );
  await endMail(other.sql, current, 'failed', { reply: '550 no', now: now() });
  // The mail that the suspended server has sent did arrive.
  await endMail(api.sql, late, 'sent', { reply: '250 ok', now: now() });
  assert.deepEqual(
    (await rows()).map(({ state, reply }) => [state, reply]),
    [['sent', '250 ok']],
  );
  await endMail(other.sql, current, 'failed', { reply: '550 no', now: now() });
  assert.equal((await rows())[0]?.state, 'sent');
});

test('mail: two servers together count no more than MAIL_PER_HOUR', async () => {
  const counted = await Promise.all(
    Array.from({ length: 40 }, (_, n) => countMail(n % 2 ? api.sql : other.sql, 'code', 15, now())),
  );
  assert.equal(counted.filter(Boolean).length, 15);
});

test('mail: strangers can use up neither the mails for codes of known requesters nor those for notices, on two servers', async () => {
  const count = async (use: MailUse, times: number) => {
    const counted = await Promise.all(
      Array.from({ length: times }, (_, n) => countMail(n % 2 ? api.sql : other.sql, use, 20, now())),
    );
    return counted.filter(Boolean).length;
  };
  const clear = () => api.sql`delete from mail_counts`;
  await clear();
  assert.equal(await count('strangerCode', 40), 12);
  assert.equal(await count('notice', 40), 4);
  assert.equal(await count('strangerCode', 40), 0);
  assert.equal(await count('code', 40), 4);
  await clear();
  assert.equal(await count('notice', 40), 16);
  assert.equal(await count('strangerCode', 40), 2);
  assert.equal(await count('code', 40), 2);
  await uncountMail(api.sql, 'strangerCode', now());
  assert.equal(await count('strangerCode', 1), 0);
  assert.equal(await count('code', 40), 1);
});

test('mail: a server that stops waits for the replies to what it is sending, and takes nothing more', async () => {
  const stopping = mails.createSender(api);
  await store({}, {}, {}, {}, {}, {}, {}, {});
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  mailServer.reply = async (command) => {
    if (command === 'TEXT') reach();
    return undefined;
  };
  const run = stopping.run();
  await isReached;
  await stopping.stop();
  await run;
  const sent = mailServer.received.length;
  assert.ok(sent >= 1 && sent < 8, `${sent} mails were sent`);
  assert.equal((await rows()).filter(({ state }) => state === 'sent').length, sent);
  await second.run();
  assert.equal(mailServer.received.length, 8);
});
