/** A Postfix of its own for tests, in front of a Maildir. Requires root: Postfix changes to users of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from './free-ports.ts';
import { localhostCertificate } from './localhost-certificate.ts';
import { createTempDir } from './processes.ts';

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Why this machine cannot run it; an empty text if it can. */
export const postfixProblem =
  process.getuid?.() !== 0
    ? 'Postfix must be started by root'
    : spawnSync('postconf', ['mail_version'], { env }).error
      ? 'postfix is not installed'
      : '';

export type Postfix = {
  port: number;
  /** The mails that were delivered, as files have them. */
  readMails(): Promise<string[]>;
  /** Kills all of its processes, in the middle of whatever they do. */
  stop(): Promise<void>;
  /** Starts it again after `stop`. */
  start(): Promise<void>;
};

/** Recipients whose mails are refused, each with the words of the refusal. */
export type Refusals = Record<string, string>;

/** @param options `hasTls`: whether it offers STARTTLS, with `localhostCertificate` */
export async function startPostfix({
  refusals = {},
  hasTls = false,
}: {
  refusals?: Refusals;
  hasTls?: boolean;
} = {}): Promise<Postfix> {
  const [port = 0] = await findFreePorts(1);
  const directory = await createTempDir();
  const inDirectory = (name: string) => path.join(directory, name);
  for (const name of ['conf', 'spool', 'data', 'mail']) await mkdir(inDirectory(name));
  const { stdout: owner } = spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' });
  await chown(inDirectory('data'), Number(owner), 0);
  await chmod(inDirectory('mail'), 0o777);
  await writeFile(inDirectory('cert.pem'), `${localhostCertificate.key}\n${localhostCertificate.cert}\n`);
  await writeFile(inDirectory('conf/main.cf'), mainOf(directory, refusals, hasTls));
  await writeFile(inDirectory('conf/master.cf'), masterOf(port));
  let child = await start(inDirectory('conf'), port);
  const stop = async () => {
    const ended = once(child, 'close');
    // The master and its services are a group of their own.
    const master = Number.parseInt(await readFile(inDirectory('spool/pid/master.pid'), 'utf8'), 10);
    process.kill(-master, 'SIGKILL');
    await ended;
  };
  return {
    port,
    readMails: async () => {
      const folder = inDirectory('mail/all/new');
      const names = await readdir(folder).catch(() => []);
      return Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
    },
    start: async () => {
      child = await start(inDirectory('conf'), port);
    },
    stop,
  };
}

async function start(conf: string, port: number): Promise<ChildProcess> {
  const child = spawn('postfix', ['-c', conf, 'start-fg'], { env, stdio: 'ignore' });
  for (let waited = 0; !(await accepts(port)); waited += 50) {
    assert.equal(child.exitCode, null, `Postfix has ended; its log is in ${path.dirname(conf)}/log`);
    assert.ok(waited < 20_000, 'Postfix does not listen');
    await sleep(50);
  }
  return child;
}

const accepts = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });

const mainOf = (directory: string, refusals: Refusals, hasTls: boolean): string => `
compatibility_level = 3.6
queue_directory = ${directory}/spool
data_directory = ${directory}/data
maillog_file = ${directory}/log
maillog_file_prefixes = ${directory}
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.example.net
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
alias_maps =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = example.net
virtual_mailbox_base = ${directory}/mail
virtual_mailbox_maps = static:all/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_minimum_uid = 1
smtpd_tls_security_level = ${hasTls ? 'may' : 'none'}
smtpd_tls_chain_files = ${directory}/cert.pem
smtpd_recipient_restrictions = ${Object.entries(refusals)
  .map(([address, words]) => `check_recipient_access inline:{ { ${address} = ${words} } },`)
  .join(' ')} reject_unauth_destination
`;

const masterOf = (port: number): string => {
  const services = [
    ...[`127.0.0.1:${port} inet n - n - - smtpd`, 'postlog unix-dgram n - n - 1 postlogd'],
    ...['pickup unix n - n 60 1 pickup', 'cleanup unix n - n - 0 cleanup', 'qmgr unix n - n 300 1 qmgr'],
    ...[
      'tlsmgr unix - - n 1000? 1 tlsmgr',
      'rewrite unix - - n - - trivial-rewrite',
      'bounce unix - - n - 0 bounce',
    ],
    ...['defer unix - - n - 0 bounce', 'trace unix - - n - 0 bounce', 'verify unix - - n - 1 verify'],
    ...['flush unix n - n 1000? 0 flush', 'proxymap unix - - n - - proxymap', 'error unix - - n - - error'],
    ...['retry unix - - n - - error', 'discard unix - - n - - discard', 'virtual unix - n n - - virtual'],
    ...['anvil unix - - n - 1 anvil', 'scache unix - - n - 1 scache', 'smtp unix - - n - - smtp'],
  ];
  return `${services.join('\n')}\n`;
};
