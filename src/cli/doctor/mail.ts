/** The mail server, and what the DNS says about the domain that mails come from. */
import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { SmtpConfig } from '../../config/mail.ts';
import { broken, type Check, good, type Result, skipped, warning } from '../../doctor/finding.ts';
import { domainOf } from '../../lib/mail-address.ts';
import { MailFailure } from '../../mail/mailer.ts';
import { createTransport } from '../../mail/transport.ts';

export const mailServer: Check = {
  name: 'mail server',
  variables: ['MAIL_'],
  async run({ config }) {
    const { mail } = config;
    if (mail.driver !== 'smtp') return describeDriver(mail.driver, config.production);
    const transport = createTransport(mail, async () => '');
    const { host, port, user } = mail.server;
    try {
      await transport.verify();
      return good(
        `The mail server ${host}:${port} accepts ${user ? 'the user and the password' : 'connections'}.`,
      );
    } catch (error) {
      return describeFailure(error, `The mail server ${host}:${port} cannot be used`);
    } finally {
      transport.close();
    }
  },
};

function describeDriver(driver: 'off' | 'console', production: boolean): Result {
  const next = 'Set MAIL_URL and MAIL_FROM (docs/operating.md, Mail).';
  if (driver === 'off') return skipped('No mails are sent.', next);
  const text = 'Mails are written to the log, and none is sent.';
  return production ? warning(text, next) : skipped(text, next);
}

/** @param what could not be done */
export function describeFailure(error: unknown, what: string): Result {
  if (!(error instanceof MailFailure)) throw error;
  const { code, status } = error.logged;
  const isLogin = code === 'EAUTH' || status === 535;
  const isTls = code === 'ETLS' || /certificate/i.test(error.reply);
  return broken(
    `${what}: ${error.reply} (${[error.reason, code].filter(Boolean).join(', ')}).`,
    isLogin
      ? 'Correct the user and the password in MAIL_URL; the password must be percent-encoded.'
      : isTls
        ? 'Correct the host in MAIL_URL, its ?tls=, or MAIL_CA.'
        : 'Correct MAIL_URL and MAIL_FROM, or ask the operator of the mail server with these words.',
  );
}

/** Returns the TXT records of a name; none if there is no such name. */
export type ReadRecords = (name: string) => Promise<string[]>;

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

const readRecords: ReadRecords = async (name) => {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw error;
  }
};

export const mailRecords: Check = {
  name: 'mail records',
  variables: ['MAIL_'],
  async run({ config: { mail } }) {
    if (mail.driver !== 'smtp') return skipped('No mails are sent.');
    try {
      return await examineRecords(mail, readRecords);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return skipped(
        `The DNS did not answer (${code ?? message}).`,
        'Run this command where the DNS can be asked.',
      );
    }
  },
};

/** Without the records, many mail servers treat mails as unwanted. */
export async function examineRecords(
  { server, from, dkim }: Pick<SmtpConfig, 'server' | 'from' | 'dkim'>,
  read: ReadRecords,
): Promise<Result[]> {
  const domain = domainOf(from.address);
  if (!domain.includes('.')) return [skipped(`${domain} is no domain of the DNS.`)];
  return Promise.all([
    examineSpf(domain, server.host, read),
    examineDkim(domain, dkim, read),
    examineDmarc(domain, read),
  ]);
}

const addRecord = (name: string, value: string) => `Add to the DNS: ${name}. TXT "${value}"`;

async function examineSpf(domain: string, host: string, read: ReadRecords): Promise<Result> {
  const records = (await read(domain)).filter((record) => /^v=spf1( |$)/i.test(record));
  if (records.length === 1) return good(`SPF: ${domain} names the servers that send its mails.`);
  if (records.length > 1)
    return warning(
      `SPF: ${domain} has ${records.length} records, and only one is valid.`,
      'Join them into one record.',
    );
  return warning(
    `SPF: ${domain} does not name the servers that send its mails.`,
    `${addRecord(domain, `v=spf1 a:${host} ~all`)} (or the include: that the mail provider documents)`,
  );
}

async function examineDkim(domain: string, dkim: SmtpConfig['dkim'], read: ReadRecords): Promise<Result> {
  if (!dkim) return skipped('DKIM: MAIL_DKIM_KEY is not set, so the mail server has to sign mails.');
  const name = `${dkim.selector}._domainkey.${domain}`;
  const key = createPublicKey(dkim.privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  const found = (await read(name)).map((record) =>
    /(?:^|;)\s*p=([^;]*)/.exec(record)?.[1]?.replace(/\s/g, ''),
  );
  if (found.includes(key)) return good(`DKIM: ${name} has the key that signs mails.`);
  return warning(
    found.length > 0 ? `DKIM: ${name} has another key than MAIL_DKIM_KEY.` : `DKIM: ${name} has no key.`,
    addRecord(name, `v=DKIM1; k=rsa; p=${key}`),
  );
}

/** The record of a domain above holds for those below. */
async function examineDmarc(domain: string, read: ReadRecords): Promise<Result> {
  const labels = domain.split('.');
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  for (const each of domains) {
    const records = await read(`_dmarc.${each}`);
    if (records.some((record) => /^v=DMARC1/i.test(record))) return good(`DMARC: _dmarc.${each} has a rule.`);
  }
  return warning(`DMARC: ${domain} has no rule.`, addRecord(`_dmarc.${domain}`, 'v=DMARC1; p=none'));
}
