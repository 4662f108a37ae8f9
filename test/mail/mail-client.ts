/** Mails of tests: a mail server, and the senders of servers on one database. */
import { after } from 'node:test';
import { newId } from '#base';
import { ChangeLog } from '#fresh-records';
import { readConfig } from '../../src/config/config.ts';
import { openInstance } from '../../src/instance/settings.ts';
import { createMailer } from '../../src/mail/create-mailer.ts';
import { MailSender } from '../../src/mail/mail-sender.ts';
import { insertMails, type NewMail } from '../../src/mail/mails.ts';
import { endInvitationMail } from '../../src/modules/invitations/invitation-mails.ts';
import { createTextCarrier } from '../../src/modules/notifications/mail/text-carrier.ts';
import { writeMail } from '../../src/modules/notifications/mail/write-mail.ts';
import { MailServer } from '../support/mail-server.ts';
import { secretKey, type TestApp } from '../support/setup.ts';

const log = { info: () => {}, warn: () => {} };

export type MailRowOfTest = { id: string; state: string; attempts: number; reply: string; dueAt: Date };

/** @param env further variables */
export async function createMailClient(api: TestApp, env: Record<string, string> = {}) {
  const mailServer = new MailServer();
  const port = await mailServer.listen();
  after(() => mailServer.close());
  const config = {
    ...readConfig({ MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'events@example.org', ...env }),
    secretKey,
  };
  const outcomes: string[] = [];
  const count = (outcome: string) => void outcomes.push(outcome);
  const instanceOf = (server: TestApp) =>
    openInstance({ db: server.sql, changeLog: new ChangeLog(server.sql) }, config);
  const texts: { phone: string; text: string }[] = [];
  const createMailerOf = (server: TestApp) => {
    const nameOf = async () => (await instanceOf(server).settings()).name;
    const mailer = createMailer({ config, db: server.sql, clock: server.clock.now, log, count, nameOf });
    after(() => mailer.close());
    return mailer;
  };
  return {
    mailServer,
    /** The text messages that were sent. */
    texts,
    port,
    config,
    outcomes,
    createMailerOf,
    /** What sends the mails of one server. */
    createSender: (server: TestApp = api, { smsNoticesPerDay = 200 } = {}): MailSender => {
      const services = {
        config,
        db: server.sql,
        clock: server.clock.now,
        log,
        mailer: createMailerOf(server),
        instance: instanceOf(server),
      };
      const sms = { sendNotice: async (phone: string, text: string) => void texts.push({ phone, text }) };
      const carrier = createTextCarrier({ db: server.sql, config: { smsNoticesPerDay }, sms });
      return new MailSender(services, {
        write: (mail) => writeMail(services, mail),
        count,
        texts: carrier,
        end: (mail, isSent) => endInvitationMail(services.db, mail, isSent),
      });
    },
    /** Stores mails. */
    store: async (...mails: Partial<NewMail>[]): Promise<NewMail[]> => {
      const stored = mails.map((mail): NewMail => {
        const id = newId();
        const [userId, subjectId, sourceId] = [newId(), newId(), newId()];
        const address = `${id}@example.net`;
        return { userId, id, kind: 'test', subjectId, sourceId, address, language: 'en', ...mail };
      });
      await api.sql.execute(await insertMails(api.sql, stored, api.clock.now()));
      return stored;
    },
    rows: () => api.sql<MailRowOfTest[]>`select id, state, attempts, reply, due_at from mails order by id`,
    clear: async () => {
      for (const table of ['mails', 'mail_counts', 'suppressed_addresses'])
        await api.sql.text(`delete from ${table}`);
      mailServer.received.length = 0;
      outcomes.length = 0;
      mailServer.reply = () => undefined;
    },
  };
}
