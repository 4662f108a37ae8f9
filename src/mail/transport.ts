/** The connections to the mail server, by nodemailer. */
import {
  createTransport as createPool,
  type NodemailerError,
  type SendMailOptions,
  type SMTPPoolOptions,
} from 'nodemailer';
import { span } from '#telemetry';
import { type MailServer, type SmtpConfig, senderNameOf } from '../config/mail.ts';
import { domainOf } from '../lib/mail-address.ts';
import { renderHtml, renderText } from './layout.ts';
import type { Mail } from './mailer.ts';
import { readFailure } from './read-failure.ts';

export type Transport = {
  /** @returns the words of the mail server. @throws MailFailure */
  send(mail: Mail): Promise<string>;
  /** Connects and signs in, and sends nothing. @throws MailFailure */
  verify(): Promise<void>;
  close(): void;
};

/** Connections that a server opens at most for codes, and for notices. */
export const maxConnections = 4;
/** A connection that did nothing for so long is closed. */
const idleMs = 30_000;
/**
 * Waits. A mail server may look through a mail for minutes before its reply (RFC 5321 asks clients to wait for ten); a client
 * that gives up earlier sends the mail again, and the recipient gets it twice.
 */
const [connectMs, greetMs, replyMs] = [20_000, 30_000, 600_000];

/**
 * @param nameOf the name of the instance when a mail is sent
 * @param connections the most that it opens
 */
export function createTransport(
  smtp: SmtpConfig,
  nameOf: () => Promise<string>,
  connections = maxConnections,
): Transport {
  const { server, from, dkim } = smtp;
  const domain = domainOf(from.address);
  const transporter = createPool({
    ...connectionOptions(server),
    pool: true,
    maxConnections: connections,
    // A connection that the mail server closes before anything of the mail was sent.
    maxRequeues: 1,
    idleTimeout: idleMs,
    // Texts of people are never names of files or addresses that this server reads.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim && { dkim: { domainName: domain, keySelector: dkim.selector, privateKey: dkim.privateKey } }),
  } satisfies SMTPPoolOptions);
  const fail = (error: NodemailerError) => {
    throw readFailure(error);
  };
  return {
    async send(mail) {
      const sender = { name: senderNameOf(smtp, await nameOf()), address: from.address };
      const attributes = { 'server.address': server.host, 'server.port': server.port };
      return span('send mail', { kind: 'client', attributes }, () =>
        transporter.sendMail(toOptions(mail, sender, domain)).then(({ response }) => response, fail),
      );
    },
    verify: () => transporter.verify().then(() => {}, fail),
    close: () => transporter.close(),
  };
}

const connectionOptions = ({ host, port, tls, user, authorities }: MailServer): SMTPPoolOptions => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  tls: { minVersion: 'TLSv1.2', ...(authorities !== undefined && { ca: authorities }) },
  ...(user && { auth: { user: user.name, pass: user.password } }),
  connectionTimeout: connectMs,
  greetingTimeout: greetMs,
  socketTimeout: replyMs,
});

const toOptions = (
  { id, to, content }: Mail,
  from: { name: string; address: string },
  domain: string,
): SendMailOptions => ({
  from: { ...from, name: content.sender ?? from.name },
  to: { name: '', address: to },
  ...(content.replyTo && { replyTo: content.replyTo }),
  messageId: `<${id}@${domain}>`,
  subject: content.subject,
  text: renderText(content),
  html: renderHtml(content, from.name),
  // No programs that answer for people who are away.
  ...(content.calendar && {
    icalEvent: { method: content.calendar.method, filename: 'event.ics', content: content.calendar.text },
  }),
  headers: {
    'Auto-Submitted': 'auto-generated',
    'Content-Language': content.language,
    ...(content.unsubscribe && {
      // In one line: some programs read no address that begins on the second one.
      'List-Unsubscribe': { prepared: true, value: `<${content.unsubscribe}>` },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
});
