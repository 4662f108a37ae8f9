/** Creates the mailer of the configuration. */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../db/client.ts';
import { type SmtpConfig, senderNameOf } from '../lib/config/mail.ts';
import type { ReadyConfig } from '../lib/config.ts';
import { newId } from '../lib/ids.ts';
import { shareOf } from '../lib/process-share.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { countMail, uncountMail } from './allowance.ts';
import { codeContent } from './code-content.ts';
import { type MailContent, renderText } from './layout.ts';
import { type CodeMail, type Mailer, MailFailure, type MailOutcome } from './mailer.ts';
import { createTransport, maxConnections } from './transport.ts';

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

/** Without PUBLIC_URL, the address of a page is one of this machine, which no reader of a mail can open. */
const contentOf = (mail: CodeMail, { mail: { hasLinks }, instanceName }: MailerServices['config']) =>
  codeContent(hasLinks ? mail : { ...mail, link: null }, instanceName);

/** Writes mails to the log. A code is not in the log if the response carries it as `devCode`. */
function createConsoleMailer({ config, log }: MailerServices): Mailer {
  const write = (content: MailContent) =>
    log.warn({ subject: content.subject, text: renderText(content) }, 'no mail was sent; this is its text');
  return {
    isOn: true,
    delivers: false,
    sendCode: async (mail) => (config.devCodes ? undefined : write(contentOf(mail, config))),
    send: async ({ content }) => {
      write(content);
      return 'written to the log';
    },
    close: () => {},
  };
}

/** Shorter than the timeout of a request, so that the response names the reason. */
const codeTimeoutMs = 4_000;

/** Codes have connections of their own, so they do not wait for notices. Every process sends codes; one sends notices. */
function createSmtpMailer({ config, db, clock, log, count }: MailerServices, smtp: SmtpConfig): Mailer {
  const forCodes = createTransport(smtp, senderNameOf(config), shareOf(maxConnections));
  const forNotices = createTransport(smtp, senderNameOf(config));
  async function sendCode(mail: CodeMail): Promise<void> {
    const now = clock();
    if (!(await countMail(db, 'code', config.mail.perHour, now))) {
      count('busy');
      throw new MailFailure('busy');
    }
    const sent = forCodes.send({ id: newId(), to: mail.address, content: contentOf(mail, config) });
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
    if (!error.mayBeDelivered && error.reason !== 'rejected') await uncountMail(db, countedAt);
  }
  return {
    isOn: true,
    delivers: true,
    sendCode,
    send: forNotices.send,
    close: () => {
      forCodes.close();
      forNotices.close();
    },
  };
}
