/** Delivers notifications and sends their mails, for tests. */
import { deliverCauses } from '../../src/modules/notifications/deliver-causes.ts';
import { runFanOuts } from '../../src/modules/notifications/fan-out.ts';
import { headerOf, type ReceivedMail, textOf } from '../support/mail-server.ts';
import type { TestApp } from '../support/setup.ts';
import type { createMailClient } from './mail-client.ts';

export function createNewsClient(
  server: Pick<TestApp, 'sql' | 'clock'>,
  { mailServer, createSender }: Awaited<ReturnType<typeof createMailClient>>,
) {
  const sender = createSender();
  /** Runs the jobs that store notifications and mails. */
  async function deliver(mailer = { isOn: true }): Promise<void> {
    const services = { db: server.sql, clock: server.clock.now, mailer };
    await deliverCauses(services);
    await runFanOuts(services);
  }
  /** Runs all jobs. @returns the mails that were sent since the last call */
  async function mailed(): Promise<ReceivedMail[]> {
    await deliver();
    await sender.run();
    return mailServer.received.splice(0);
  }
  /** Each recipient and subject. */
  const summaryOf = async (mails: Promise<ReceivedMail[]>): Promise<string[]> =>
    (await mails).map((mail) => `${mail.to}: ${headerOf(mail, 'Subject')}`);
  return {
    deliver,
    mailed,
    summaryOf,
    wordsOf: (mail: ReceivedMail) => textOf(mail).replaceAll('\r\n', '\n'),
  };
}
