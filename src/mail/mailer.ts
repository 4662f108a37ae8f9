/** What sends mails. `services.mailer` is the one of the configuration. */
import type { Language } from '../../web/src/lib/language/languages.ts';
import type { CodePurpose } from '../lib/contact.ts';
import { Problem } from '../lib/errors.ts';
import type { MailContent } from './layout.ts';

/** A mail with a code. It is sent at once, and stored nowhere: the database holds no code. */
export type CodeMail = {
  /** As its owner typed it. */
  address: string;
  purpose: CodePurpose;
  code: string;
  /** The page whose button does what entering the code does; null if there is none. */
  link: string | null;
  language: Language;
  /** Whether an unknown client network requested it: such codes can take a part of the mails of an hour only. */
  isForStranger: boolean;
};

export type Mail = {
  /** The same for each attempt to send the mail, so that a second copy can be recognized: its `Message-ID`. */
  id: string;
  to: string;
  content: MailContent;
};

export type Mailer = {
  /** Whether the server sends mails, or shows them in its log. Otherwise `send` and `sendCode` fail. */
  isOn: boolean;
  /** Whether mails leave this machine. Otherwise the limits on sending need not apply, as for text messages. */
  delivers: boolean;
  /**
   * Sends a mail with a code, also to a suppressed address: its owner confirms the address with it. Takes 4 s at most.
   * @throws MailFailure
   */
  sendCode(mail: CodeMail): Promise<void>;
  /**
   * Sends a mail that is stored nowhere, as `sendCode` does.
   * @returns the words with which the mail server accepted it
   * @throws MailFailure
   */
  sendNow(mail: Pick<Mail, 'to' | 'content'>): Promise<string>;
  /**
   * Sends a mail that the queue has allowed.
   * @returns the words with which the mail server accepted it
   * @throws MailFailure
   */
  send(mail: Mail): Promise<string>;
  /** Ends all connections to the mail server. */
  close(): void;
};

/**
 * Why a mail was not confirmed. `refused`: the mail server refused it for now. `rejected`: for good. `busy`: the servers have
 * sent `MAIL_PER_HOUR` mails. `off`: this server sends no mails. After `timeout` and `lost`, which is a connection that
 * closed before the reply, the mail may still arrive.
 */
export const mailFailures = ['refused', 'rejected', 'unreachable', 'timeout', 'lost', 'busy', 'off'] as const;
type MailFailureReason = (typeof mailFailures)[number];
/**
 * What became of a mail, for the metrics. `suppressed`: its address was refused before. `expired`: the mail server refused it for
 * two days.
 */
export const mailOutcomes = ['sent', ...mailFailures, 'suppressed', 'expired'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

type Details = {
  /** The words of the mail server, or those of the system. They may contain the address. */
  reply?: string;
  /** Whether the mail server refuses the address, and not the mail or this server. */
  isOfAddress?: boolean;
  /** Whether other mails would fail too at present. */
  isOfServer?: boolean;
  /** For the log: nothing of the address. */
  code?: string | undefined;
  status?: number | undefined;
};

/** No mail server confirmed the mail: a problem `mail_unavailable`. */
export class MailFailure extends Problem {
  readonly reason: MailFailureReason;
  readonly reply: string;
  readonly isOfAddress: boolean;
  readonly isOfServer: boolean;
  /** The only fields that may be logged: the words of the mail server contain the address. */
  readonly logged: { code: string | undefined; status: number | undefined };

  constructor(reason: MailFailureReason, details: Details = {}) {
    super('mail_unavailable', { retryAfter: 60 });
    this.reason = reason;
    this.reply = details.reply ?? reason;
    this.isOfAddress = details.isOfAddress ?? false;
    this.isOfServer = details.isOfServer ?? false;
    this.logged = { code: details.code, status: details.status };
  }

  get mayBeDelivered(): boolean {
    return this.reason === 'timeout' || this.reason === 'lost';
  }
}
