/** Runs nginx with the configuration of docs/operating.md in front of servers on this machine. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePorts } from '../support/free-ports.ts';
import { createTempDir } from '../support/processes.ts';

/** nginx is in a directory that is not in PATH of all users. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const tools = [
  ['nginx', '-v'],
  ['openssl', 'version'],
  ['curl', '--version'],
] as const;
export const missingTools = tools.flatMap(([name, option]) =>
  spawnSync(name, [option], { env }).error ? [name] : [],
);

/** Returns the blocks of the chapter: the configuration, and the commands that restart the servers. */
export async function readNginxChapter(): Promise<{ config: string; restart: string }> {
  const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
  const chapter = page.split('\n### nginx\n')[1]?.split(/\n##+ /)[0] ?? '';
  const [, config = ''] = /```nginx\n(.*?)```/s.exec(chapter) ?? [];
  const [, restart = ''] = /```sh\n(.*?)```/s.exec(chapter) ?? [];
  return { config, restart };
}

/** Replaces each key of `replacements`, which must occur in the text. */
export function replaceAll(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `the document has no ${from}`);
    return result.replaceAll(from, to);
  }, text);
}

export type Nginx = {
  port: number;
  /** The lines of the access log. */
  readLog(): Promise<string>;
  stop(): Promise<void>;
};

/** @param servers the ports of the two servers */
export async function startNginx(config: string, servers: readonly number[]): Promise<Nginx> {
  const directory = await createTempDir();
  const [plain = 0, secure = 0] = await findFreePorts(2);
  const [certificate, key] = [path.join(directory, 'certificate.pem'), path.join(directory, 'key.pem')];
  const subject = ['-subj', '/CN=events.example.org', '-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject]);
  const site = replaceAll(config.replace(/^ *listen \[::\].*\n/gm, ''), {
    '127.0.0.1:3001': `127.0.0.1:${servers[0]}`,
    '127.0.0.1:3002': `127.0.0.1:${servers[1]}`,
    'listen 80': `listen 127.0.0.1:${plain}`,
    'listen 443': `listen 127.0.0.1:${secure}`,
    '/etc/ssl/certs/events.example.org.pem': certificate,
    '/etc/ssl/private/events.example.org.key': key,
    '/var/log/nginx/potluck.log': path.join(directory, 'access.log'),
  });
  const stop = await runNginx(directory, `access_log off;\n${site}`, secure);
  return { port: secure, readLog: () => readFile(path.join(directory, 'access.log'), 'utf8'), stop };
}

/** Writes NAME.pem, a certificate of its own authority, and NAME.key. @param options.days a negative number: it has expired */
export async function makeCertificate(
  directory: string,
  { name, host, days }: { name: string; host: string; days: number },
): Promise<void> {
  const fileOf = (ending: string) => path.join(directory, `${name}.${ending}`);
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const [key, request] = [fileOf('key'), fileOf('csr')];
  await openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', ...names, '-keyout', key, '-out', request);
  const signed = ['-signkey', key, '-copy_extensions', 'copy', '-days', `${days}`];
  await openssl('x509', '-req', '-in', request, ...signed, '-out', fileOf('pem'));
}

/**
 * Runs nginx until the returned function is called.
 * @param directory for its files
 * @param http the block `http`
 * @param port on which it listens when it is ready
 */
export async function runNginx(directory: string, http: string, port: number): Promise<() => Promise<void>> {
  // Debian's nginx.conf, with the files in the temporary directory.
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  const main = [
    'daemon off; pid nginx.pid; worker_processes 2; error_log error.log;',
    'events { worker_connections 768; }',
    `http { ${temporary.join(' ')} ${http}}\n`,
  ];
  await mkdir(path.join(directory, 'logs'));
  await writeFile(path.join(directory, 'nginx.conf'), main.join('\n'));
  const child = spawn('nginx', ['-p', directory, '-c', 'nginx.conf', '-e', 'error.log'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  while (!(await accepts(port))) {
    assert.equal(child.exitCode, null, 'nginx has ended');
    await sleep(20);
  }
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

const accepts = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });

export type SecureCall = {
  token?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** The address of the client. */
  localAddress?: string;
};

/** Returns a function that sends requests to nginx over connections that stay open. */
export function openSecureClient({ port }: Nginx) {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, servername: 'events.example.org' });
  return {
    close: () => agent.destroy(),
    /** Resolves when the headers of the response have arrived. */
    send: async (
      method: string,
      route: string,
      { token, body, headers, localAddress }: SecureCall = {},
    ): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request({
          agent,
          host: '127.0.0.1',
          port,
          method,
          path: route,
          ...(localAddress && { localAddress }),
          headers: {
            host: 'events.example.org',
            ...(token && { authorization: `Bearer ${token}` }),
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
            ...headers,
          },
        });
        sent.once('response', resolve).once('error', reject).end(body);
      }),
  };
}
