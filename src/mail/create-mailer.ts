/** Creates the mailer of the configuration. */
import type { FastifyBaseLogger } from 'fastify';
import { newId, shareOf, withTimeout } from '#base';
import type { Database } from '#pg';
import { notExported } from '#telemetry';
import type { ReadyConfig } from '../config/config.ts';
import type { SmtpConfig } from '../config/mail.ts';
import { countMail, type MailUse, uncountMail } from './allowance.ts';
import { codeContent } from './code-content.ts';
import { type MailContent, renderText } from './layout.ts';
import { type CodeMail, type Mail, type Mailer, MailFailure, type MailOutcome } from './mailer.ts';
import { createTransport, maxConnections } from './transport.ts';

type MailerServices = {
  config: Pick<ReadyConfig, 'mail' | 'devCodes'>;
  db: Database;
  clock: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
  /** Counts the mails with codes. */
  count: (outcome: MailOutcome) => void;
  /** The name of the instance. */
  nameOf: () => Promise<string>;
};

export function createMailer(services: MailerServices): Mailer {
  const { mail } = services.config;
  if (mail.driver === 'smtp') return createSmtpMailer(services, mail);
  return mail.driver === 'console' ? createConsoleMailer(services) : noMailer;
}

const refuse = async (): Promise<never> => {
  throw new MailFailure('off');
};
const noMailer: Mailer = {
  isOn: false,
  delivers: false,
  send: refuse,
  sendNow: refuse,
  sendCode: refuse,
  close: () => {},
};

/** Without PUBLIC_URL, the address of a page is one of this machine, which no reader of a mail can open. */
const contentOf = async (mail: CodeMail, { config, nameOf }: MailerServices) =>
  codeContent(config.mail.hasLinks ? mail : { ...mail, link: null }, await nameOf());

/** Writes mails to the log. A code is not in the log if the response carries it as `devCode`. */
function createConsoleMailer(services: MailerServices): Mailer {
  const { config, log } = services;
  const write = (content: MailContent) =>
    log.warn(
      { [notExported]: true, subject: content.subject, text: renderText(content) },
      'no mail was sent; this is its text',
    );
  const send = async ({ content }: Pick<Mail, 'content'>) => {
    write(content);
    return 'written to the log';
  };
  return {
    isOn: true,
    delivers: false,
    sendCode: async (mail) => (config.devCodes ? undefined : write(await contentOf(mail, services))),
    send,
    sendNow: send,
    close: () => {},
  };
}

/** Shorter than the timeout of a request, so that the response names the reason. */
const codeTimeoutMs = 4_000;

/** Codes have connections of their own, so they do not wait for notices. Every process sends codes; one sends notices. */
function createSmtpMailer(services: MailerServices, smtp: SmtpConfig): Mailer {
  const { config, db, clock, log, count, nameOf } = services;
  const forCodes = createTransport(smtp, nameOf, shareOf(maxConnections));
  const forNotices = createTransport(smtp, nameOf);
  async function sendNow(mail: Pick<Mail, 'to' | 'content'>, use: MailUse): Promise<string> {
    const now = clock();
    if (!(await countMail(db, use, config.mail.perHour, now))) {
      count('busy');
      throw new MailFailure('busy');
    }
    const sent = forCodes.send({ id: newId(), ...mail });
    sent
      .then(
        () => count('sent'),
        (error) => forget(error, use, now),
      )
      .catch((error) => log.warn({ err: error }, 'a mail that was not sent stays counted'));
    // After the timeout, the mail is still sent: what arrives late is better than what does not arrive.
    return withTimeout(sent, codeTimeoutMs, () => new MailFailure('timeout', { code: 'ETIMEDOUT' }));
  }
  async function forget(error: unknown, use: MailUse, countedAt: Date): Promise<void> {
    if (!(error instanceof MailFailure)) return;
    count(error.reason);
    if (!error.mayBeDelivered && error.reason !== 'rejected') await uncountMail(db, use, countedAt);
  }
  return {
    isOn: true,
    delivers: true,
    async sendCode(mail) {
      const content = await contentOf(mail, services);
      await sendNow({ to: mail.address, content }, mail.isForStranger ? 'strangerCode' : 'code');
    },
    sendNow: (mail) => sendNow(mail, 'code'),
    send: forNotices.send,
    close: () => {
      forCodes.close();
      forNotices.close();
    },
  };
}
