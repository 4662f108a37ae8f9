/** Creates the mailer of the configuration. */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../db/client.ts';
import type { SmtpConfig } from '../lib/config/mail.ts';
import type { ReadyConfig } from '../lib/config.ts';
import { newId } from '../lib/ids.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { countMail, uncountMail } from './allowance.ts';
import { codeText } from './code-text.ts';
import { type CodeMail, type Mail, type Mailer, MailFailure, type MailOutcome } from './mailer.ts';
import { createTransport, type Transport } from './transport.ts';

type MailerServices = {
  config: Pick<ReadyConfig, 'mail' | 'instanceName' | 'devCodes'>;
  db: Database;
  clock: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
  /** Counts the mails with codes. */
  count: (outcome: MailOutcome) => void;
};

export function createMailer(services: MailerServices): Mailer {
  const { mail } = services.config;
  if (mail.driver === 'smtp') return createSmtpMailer(services, mail);
  return mail.driver === 'console' ? createConsoleMailer(services) : noMailer;
}

const refuse = async (): Promise<never> => {
  throw new MailFailure('off');
};
const noMailer: Mailer = { isOn: false, delivers: false, send: refuse, sendCode: refuse, close: () => {} };

/** Writes mails to the log. A code is not in the log if the response carries it as `devCode`. */
function createConsoleMailer({ config, log }: MailerServices): Mailer {
  const write = ({ subject, text }: Pick<Mail, 'subject' | 'text'>) =>
    log.warn({ subject, text }, 'no mail was sent; this is its text');
  return {
    isOn: true,
    delivers: false,
    sendCode: async (mail) => (config.devCodes ? undefined : write(codeText(mail, config.instanceName))),
    send: async (mail) => {
      write(mail);
      return 'written to the log';
    },
    close: () => {},
  };
}

/** Shorter than the timeout of a request, so that the response names the reason. */
const codeTimeoutMs = 4_000;

/** Codes have connections of their own, so they do not wait for notices. */
function createSmtpMailer({ config, db, clock, log, count }: MailerServices, smtp: SmtpConfig): Mailer {
  const [forCodes, forNotices] = [
    createTransport(smtp, config.instanceName),
    createTransport(smtp, config.instanceName),
  ];
  async function sendCode(mail: CodeMail): Promise<void> {
    const now = clock();
    if (!(await countMail(db, 'code', config.mail.perHour, now))) {
      count('busy');
      throw new MailFailure('busy');
    }
    const { address: to, language } = mail;
    const sent = forCodes.send({ id: newId(), to, language, ...codeText(mail, config.instanceName) });
    sent
      .then(
        () => count('sent'),
        (error) => forget(error, now),
      )
      .catch((error) => log.warn({ err: error }, 'a mail that was not sent stays counted'));
    // After the timeout, the mail is still sent: what arrives late is better than what does not arrive.
    await withTimeout(sent, codeTimeoutMs, () => new MailFailure('timeout', { code: 'ETIMEDOUT' }));
  }
  async function forget(error: unknown, countedAt: Date): Promise<void> {
    if (!(error instanceof MailFailure)) return;
    count(error.reason);
    if (!error.mayBeDelivered) await uncountMail(db, countedAt);
  }
  return {
    isOn: true,
    delivers: true,
    sendCode,
    send: forNotices.send,
    close: () => {
      for (const transport of [forCodes, forNotices] satisfies Transport[]) transport.close();
    },
  };
}
