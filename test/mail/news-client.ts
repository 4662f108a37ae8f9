/** Delivers notifications and sends their mails, for tests. */
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { runFanOuts } from '../../src/modules/notifications/delivery/fan-out.ts';
import type { Person } from '../support/factories.ts';
import { headerOf, type ReceivedMail, textOf } from '../support/mail-server.ts';
import { expectStatus, startTestApp, type TestApp, TestClock } from '../support/setup.ts';
import { createMailClient } from './mail-client.ts';

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

/** A server with a clock of its own, apart from that of the sessions, and what its mails say. */
export async function startNewsServer() {
  const api = await startTestApp();
  const clock = new TestClock();
  const mails = await createMailClient({ ...api, clock }, { PUBLIC_URL: 'https://events.example.org' });
  return {
    api,
    clock,
    mails,
    news: createNewsClient({ ...api, clock }, mails),
    change: async ({ token }: Person, id: string, fields: object) =>
      expectStatus(await api.patch(`/v1/events/${id}`, token, fields), 200),
    set: async ({ token }: Person, settings: object) =>
      expectStatus(await api.patch('/v1/notifications/settings', token, settings), 200),
  };
}
