/** Reads why nodemailer could not send a mail. */
import type { NodemailerError } from 'nodemailer';
import { MailFailure } from './mailer.ts';

/** Errors before a mail is handed over: of names, connections, certificates and passwords. */
const serverErrors = ['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'EPROTOCOL', 'ECONFIG'];
const serverWaits = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'];
/** Errors of a connection that existed. */
const lostConnections = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];
/** Of the pool: the mail server closed each connection before it was sent anything of the mail. */
const notBegun = /^Reached maximum number of retries/;

/** Mail servers and attackers choose the words, so they are cut. */
const maxReply = 500;

/**
 * The commands of a mail server's refusal tell what it refuses: the address (`RCPT TO`), the mail (`DATA`), or this server
 * (all others, such as a wrong password or a sender that may not send). A refusal of this server ends no mail: the operator
 * corrects it, and the mails are sent then.
 */
export function readFailure(error: NodemailerError): MailFailure {
  const { code, responseCode: status, command = '', response, permanent, timeoutType, originalCode } = error;
  const details = { code, status, reply: (response ?? error.message).slice(0, maxReply) };
  if (status !== undefined) {
    const isOfMail = status !== 421 && (command === 'RCPT TO' || command === 'DATA');
    if (!isOfMail || !permanent) return new MailFailure('refused', { ...details, isOfServer: !isOfMail });
    return new MailFailure('rejected', { ...details, isOfAddress: isAboutAddress(command, details.reply) });
  }
  // An address that nodemailer does not send.
  if (code === 'EENVELOPE') return new MailFailure('rejected', { ...details, isOfAddress: true });
  const isUnconnected =
    (code === 'ESOCKET' && !lostConnections.includes(`${originalCode}`)) || notBegun.test(error.message);
  if (isUnconnected || serverErrors.includes(`${code}`) || serverWaits.includes(`${timeoutType}`))
    return new MailFailure('unreachable', { ...details, isOfServer: true });
  return new MailFailure(code === 'ETIMEDOUT' || code === 'EABORT' ? 'timeout' : 'lost', details);
}

/**
 * Enhanced codes (RFC 3463) of the class 5.7 are about rules, such as a list of senders of spam on which this server is: the
 * address is not at fault. Those of 5.1 and 5.2 are about the mailbox, in a reply to the text of the mail too.
 */
function isAboutAddress(command: string, reply: string): boolean {
  const [, subject] = /^\d{3}[ -]5\.(\d{1,3})\.\d{1,3}\b/.exec(reply) ?? [];
  return command === 'RCPT TO' ? subject !== '7' : subject === '1' || subject === '2';
}
