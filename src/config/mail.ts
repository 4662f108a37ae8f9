/** How mails are sent. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isLoopbackHost } from '#base';
import { isMailAddress } from '../lib/mail-address.ts';
import type { Reader } from './reader.ts';

/** The sender of all mails. `name`: undefined for the name of the instance. */
export type MailSender = { name: string | undefined; address: string };

/** A mail server that accepts mails for any address. */
export type MailServer = {
  host: string;
  port: number;
  /** `implicit`: from the first byte on. `required`: by STARTTLS, before anything else is sent. */
  tls: 'implicit' | 'required' | 'off';
  /** Undefined for a server that asks for none. */
  user: { name: string; password: string } | undefined;
  /** The certificates of authorities, in PEM; undefined for those that Node.js knows. */
  authorities: string | undefined;
};

/** A private RSA key, in PEM, whose public key is in the DNS below the domain of the sender. */
export type DkimKey = { selector: string; privateKey: string };

export type SmtpConfig = { driver: 'smtp'; server: MailServer; from: MailSender; dkim: DkimKey | undefined };

/** `perHour`: how many mails all servers send in an hour. `hasLinks`: whether mails lead to pages. */
export type MailConfig = { perHour: number; hasLinks: boolean } & (
  | { driver: 'off' }
  | { driver: 'console' }
  | SmtpConfig
);

type Sending = { driver: 'off' | 'console' } | Pick<SmtpConfig, 'driver' | 'from'>;

/** The name of the sender of mails that no person causes. */
export const senderNameOf = (mail: Sending, instanceName: string): string =>
  (mail.driver === 'smtp' ? mail.from.name : undefined) ?? instanceName;

/**
 * @param devCodes whether responses contain codes, so that mail is possible without a mail server
 * @param publicUrl undefined if it is not set: readers of mails could not open an address of this machine
 */
export function readMail(
  read: Reader,
  { devCodes, publicUrl }: { devCodes: boolean; publicUrl: string | undefined },
): MailConfig {
  const url = read.url('MAIL_URL', ['smtp:', 'smtps:']);
  const fallback = read.text('MAIL_URL') !== undefined ? 'smtp' : devCodes ? 'console' : 'off';
  const driver = read.oneOf('MAIL_DRIVER', ['off', 'console', 'smtp'], fallback);
  const [from, dkim, authorities] = [readSender(read), readDkim(read), readFile(read, 'MAIL_CA')];
  if (authorities !== undefined && !authorities.includes('-----BEGIN CERTIFICATE-----'))
    read.faults.push('MAIL_CA must name a file with certificates in PEM format.');
  const perHour = read.whole('MAIL_PER_HOUR', 1_000, 1, 10_000_000);
  const hasLinks = publicUrl !== undefined;
  if (driver !== 'smtp') return { driver, perHour, hasLinks };
  read.needed('MAIL_URL', 'MAIL_DRIVER=smtp needs the address of a mail server');
  read.needed('MAIL_FROM', 'mails need the address that sends them');
  const server = readServer(read, new URL(url ?? 'smtp://localhost'), authorities);
  return { driver, perHour, hasLinks, server, from: from ?? { name: undefined, address: '' }, dkim };
}

function readServer(read: Reader, url: URL, authorities: string | undefined): MailServer {
  const isImplicit = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tls = url.searchParams.get('tls');
  const others = [...url.searchParams.keys()].filter((name) => name !== 'tls');
  if (host === '' || !['', '/'].includes(url.pathname) || url.hash !== '' || others.length > 0)
    read.faults.push(
      'MAIL_URL must have a scheme, a host and, if needed, a user, a password, a port and ?tls=on or ?tls=off only, ' +
        'such as smtp://USER:PASSWORD@mail.example.org:587.',
    );
  if (tls !== null && (isImplicit ? tls !== 'on' : !['on', 'off'].includes(tls)))
    read.faults.push(`MAIL_URL has tls=${tls}; it must be on, or off for smtp://.`);
  const isPlain = tls === 'off' || (tls === null && isLoopbackHost(host));
  return {
    host,
    port: Number(url.port) || (isImplicit ? 465 : 587),
    tls: isImplicit ? 'implicit' : isPlain ? 'off' : 'required',
    user: readUser(url),
    authorities,
  };
}

const readUser = ({ username, password }: URL): MailServer['user'] =>
  username === ''
    ? undefined
    : { name: decodeURIComponent(username), password: decodeURIComponent(password) };

function readSender(read: Reader): MailSender | undefined {
  const value = read.text('MAIL_FROM');
  if (value === undefined) return undefined;
  const open = value.endsWith('>') ? value.lastIndexOf('<') : -1;
  const name = value.slice(0, Math.max(open, 0)).trimEnd();
  const address = open < 0 ? value : value.slice(open + 1, -1);
  if (isMailAddress(address) && !/["<>\p{Cc}]/u.test(name)) return { name: name || undefined, address };
  read.faults.push(
    'MAIL_FROM must be an e-mail address, or a name and an address, such as Potluck <events@example.org>.',
  );
  return undefined;
}

function readDkim(read: Reader): DkimKey | undefined {
  const selector = read.text('MAIL_DKIM_SELECTOR') ?? 'potluck';
  if (!/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(selector))
    read.faults.push(`MAIL_DKIM_SELECTOR is "${selector}"; it must be a name of the DNS, such as potluck.`);
  const privateKey = readFile(read, 'MAIL_DKIM_KEY');
  if (privateKey === undefined) return undefined;
  if (isRsaKey(privateKey)) return { selector, privateKey };
  read.faults.push(
    'MAIL_DKIM_KEY must name a file with a private RSA key in PEM format, without a password.',
  );
  return undefined;
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** Reads the file that a variable names. */
function readFile(read: Reader, variable: string): string | undefined {
  const file = read.text(variable);
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  } catch (error) {
    read.faults.push(
      `${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
    return undefined;
  }
}
