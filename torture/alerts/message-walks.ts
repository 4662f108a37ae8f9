/** Text messages, mails, notifications and jobs. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hourMs, newId } from '#base';
import { insertMails, type NewMail } from '../../src/mail/mails.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { potluck, type Server, signInBrowser } from '../../test/support/processes.ts';
import { until } from '../../test/support/workers.ts';
import type { Environment } from '../environment.ts';
import { findFreePort } from '../failover/free-port.ts';
import { phoneOf } from '../phones.ts';
import { firstOf, forgetTransaction } from './faults.ts';
import type { Lab, Walk } from './lab.ts';

const addressOf = (n: number): string => `guest-${n}@example.net`;

/** A server that sends mails to a mail server, which a walk makes fail. */
async function startWithMails(lab: Lab, env: Record<string, string> = {}) {
  const mailServer = new MailServer();
  const mailPort = await mailServer.listen();
  lab.context.addCleanup(() => mailServer.close());
  const environment = await lab.start({
    env: {
      MAIL_URL: `smtp://potluck:password@127.0.0.1:${mailPort}`,
      MAIL_FROM: 'events@example.org',
      PORT: `${await findFreePort()}`,
      ...env,
    },
  });
  return { mailServer, environment, server: firstOf(environment.servers) };
}

async function storeMails({ sql }: Environment, count: number, at = new Date()): Promise<void> {
  const mails = Array.from({ length: count }, (_, n): NewMail => {
    const [id, userId] = [newId(), newId()];
    const from = { userId, subjectId: userId, sourceId: userId };
    return { id, ...from, kind: 'test', address: addressOf(n), language: 'en' };
  });
  await sql.begin(async (tx) => tx.execute(await insertMails(tx, mails, at)));
}

/** Opens the page of the section as an admin. @returns its HTML */
async function openPage(lab: Lab, environment: Environment, server: Server): Promise<string> {
  const phone = phoneOf(1);
  const cookie = await signInBrowser(server, phone);
  const grant = potluck(['admin', 'grant', phone], { env: environment.env });
  assert.equal(await grant.ended, 0, grant.output.err);
  const response = await fetch(server.url + lab.follow('/admin/mails'), { headers: { cookie } });
  assert.equal(response.status, 200);
  return response.text();
}

async function follow(environment: Environment): Promise<void> {
  const [one, other] = await environment.people(2);
  if (!one || !other) throw new Error('there are no people');
  const { status } = await environment.client.send('POST', `/v1/users/${other.id}/follow`, {
    token: one.token,
  });
  assert.equal(status, 200);
}

/** Walks with a lock that keeps notifications from being written, while all else works. @param words in the log meanwhile */
async function lockNotifications(lab: Lab, words?: string): Promise<void> {
  const environment = await lab.start();
  let end = () => {};
  await lab.fires(async () => {
    end = await forgetTransaction(environment, 'lock table notifications in share mode');
    await follow(environment);
  });
  if (words !== undefined) await lab.readLog(firstOf(environment.servers), words);
  await lab.ends(async () => end());
}

export const messageWalks: Walk[] = [
  {
    alert: 'PotluckTextMessagesFail',
    fault: 'the SMS service responds that the account is empty',
    isQuick: true,
    async run(lab) {
      let status = 402;
      const service = createServer((request, response) => {
        request.resume().once('end', () => response.writeHead(status).end('{}'));
      });
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
      lab.context.addCleanup(async () => void service.close());
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/send`;
      const body = '{"to":"{phone}","text":"{text}"}';
      const environment = await lab.start({
        env: { SMS_DRIVER: 'http', SMS_HTTP_URL: url, SMS_HTTP_BODY: body },
      });
      const send = (n: number) =>
        environment.client.send('POST', '/v1/auth/otp/request', { body: { phone: phoneOf(n * 10_000) } });
      await lab.fires(async () => {
        for (let n = 0; n < 4; n++) assert.equal((await send(n)).status, 503);
      });
      await lab.readLog(firstOf(environment.servers), 'outcome: "refused"');
      await lab.ends(async () => {
        status = 200;
        assert.equal((await send(5)).status, 202);
      });
    },
  },
  {
    alert: 'PotluckMailsFail',
    labels: { use: 'code', outcome: 'refused' },
    fault: 'the mail server refuses the password, and people ask for codes',
    async run(lab) {
      const { mailServer, environment, server } = await startWithMails(lab, { DEV_CODES: 'off' });
      mailServer.reply = (command) => (command === 'AUTH' ? '535 5.7.8 wrong password' : undefined);
      const send = (n: number) =>
        environment.client.send('POST', '/v1/auth/email/request', { body: { email: addressOf(n) } });
      await lab.fires(async () => {
        for (let n = 0; n < 8; n++) assert.equal((await send(n)).status, 503);
      });
      await lab.readLog(server, 'status: 535');
      await lab.ends(async () => {
        mailServer.reply = () => undefined;
        assert.equal((await send(9)).status, 202);
      });
    },
  },
  {
    alert: 'PotluckMailsFail',
    labels: { use: 'notice', outcome: 'rejected' },
    fault: 'the mail server is on a list of senders of spam',
    async run(lab) {
      const { mailServer, environment, server } = await startWithMails(lab);
      mailServer.reply = (command) => (command === 'RCPT' ? '550 5.7.1 you are listed' : undefined);
      await lab.fires(() => storeMails(environment, 8));
      assert.match(await openPage(lab, environment, server), /550 5\.7\.1 you are listed/);
      await lab.ends(async () => {
        mailServer.reply = () => undefined;
      });
    },
  },
  {
    alert: 'PotluckMailsLate',
    fault: 'mails of two hours ago wait, with MAIL_PER_HOUR=1',
    async run(lab) {
      const { mailServer, environment, server } = await startWithMails(lab, { MAIL_PER_HOUR: '1' });
      await lab.fires(() => storeMails(environment, 3, new Date(Date.now() - 2 * hourMs)));
      assert.ok((await openPage(lab, environment, server)).includes(addressOf(2)));
      await lab.ends(async () => {
        server.child.kill();
        await server.ended;
        await environment.start({ MAIL_PER_HOUR: '1000' });
        await until('the mails', async () => mailServer.received.length === 3);
      });
    },
  },
  {
    alert: 'PotluckMailsLate',
    fault: 'the mail server takes no mail, and one of two hours ago is tried again and again',
    async run(lab) {
      const { mailServer, environment, server } = await startWithMails(lab);
      mailServer.reply = (command) => (command === 'GREETING' ? '421 4.3.2 closed' : undefined);
      await lab.fires(() => storeMails(environment, 1, new Date(Date.now() - 2 * hourMs)));
      assert.match(await openPage(lab, environment, server), /421 4\.3\.2 closed/);
      await lab.ends(async () => {
        mailServer.reply = () => undefined;
      });
      assert.equal(mailServer.received.length, 1);
    },
  },
  {
    alert: 'PotluckNotificationsLate',
    fault: 'a forgotten transaction locks the table of the notifications',
    run: (lab) => lockNotifications(lab),
  },
  {
    alert: 'PotluckJobFails',
    fault: 'the same lock, under which their delivery fails',
    // The failures are of the last two hours.
    run: (lab) => lockNotifications(lab, 'a maintenance job failed'),
  },
];
