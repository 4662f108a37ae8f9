/** How a server connects to the mail server: encryption, authorities, passwords, signatures; and mails with codes. */
import assert from 'node:assert/strict';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { codePurposes } from '../../src/lib/contact.ts';
import { createMailer } from '../../src/mail/create-mailer.ts';
import type { MailContent } from '../../src/mail/layout.ts';
import { languages } from '../../web/src/lib/language/languages.ts';
import { localhostCertificate } from '../support/localhost-certificate.ts';
import { headerOf, MailServer, textOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const directory = mkdtempSync(path.join(os.tmpdir(), 'potluck-mail-'));
after(() => rmSync(directory, { recursive: true }));
const fileOf = (name: string, content: string): string => {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
};
const MAIL_CA = fileOf('ca.pem', localhostCertificate.cert);
const logged: unknown[] = [];
const log = { info: () => {}, warn: (fields: unknown) => void logged.push(fields) };

const createMailerWith = (env: Record<string, string>) => {
  const config = { ...readConfig({ MAIL_FROM: 'Village <events@example.org>', ...env }), secretKey };
  const services = { config, db: api.sql, clock: api.clock.now, log, count: () => {} };
  const mailer = createMailer({ ...services, nameOf: async () => config.instanceName ?? 'Potluck' });
  after(() => mailer.close());
  return mailer;
};
async function startServer(options: ConstructorParameters<typeof MailServer>[0]) {
  const server = new MailServer(options);
  const port = await server.listen();
  after(() => server.close());
  return { server, port };
}
const content: MailContent = { language: 'en', subject: 'Hello', heading: 'Hello', footer: [] };
const mail = { id: 'id-1', to: 'noor@example.net', content };

test('mail server: encrypted by STARTTLS or from the first byte, with your own authority and a password', async () => {
  for (const isImplicit of [false, true]) {
    const { server, port } = await startServer({ tls: localhostCertificate, isImplicit });
    const url = isImplicit
      ? `smtps://a%40b:pass@localhost:${port}`
      : `smtp://a%40b:pass@localhost:${port}?tls=on`;
    await createMailerWith({ MAIL_URL: url, MAIL_CA }).send(mail);
    assert.deepEqual(
      server.received.map(({ isEncrypted, user }) => [isEncrypted, user]),
      [[true, 'a@b']],
    );
    const untrusting = createMailerWith({ MAIL_URL: url });
    await assert.rejects(untrusting.send(mail), { reason: 'unreachable', isOfServer: true });
    assert.equal(server.received.length, 1);
  }
});

test('mail server: nothing is sent to one without TLS, unless it is on this machine or tls=off says so', async () => {
  const { server, port } = await startServer({});
  const required = createMailerWith({ MAIL_URL: `smtp://user:pass@localhost:${port}?tls=on` });
  await assert.rejects(required.send(mail), { reason: 'refused', isOfServer: true });
  assert.equal(server.received.length, 0);
  for (const tls of ['', '?tls=off'])
    await createMailerWith({ MAIL_URL: `smtp://127.0.0.1:${port}${tls}` }).send(mail);
  assert.equal(server.received.length, 2);
});

test('mail server: a wrong password, a refused connection and a server that says nothing are told apart', async () => {
  const { server, port } = await startServer({
    reply: (command) => (command === 'AUTH' ? '535 5.7.8 no' : undefined),
  });
  const wrong = createMailerWith({ MAIL_URL: `smtp://user:pass@localhost:${port}` });
  await assert.rejects(wrong.send(mail), { reason: 'refused', isOfServer: true, isOfAddress: false });
  await server.close();
  const gone = createMailerWith({ MAIL_URL: `smtp://localhost:${port}` });
  await assert.rejects(gone.send(mail), { reason: 'unreachable', isOfServer: true });
});

test('mail server: mails have a DKIM signature that the public key verifies', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const MAIL_DKIM_KEY = fileOf('dkim.pem', `${privateKey.export({ type: 'pkcs8', format: 'pem' })}`);
  const { server, port } = await startServer({});
  await createMailerWith({ MAIL_URL: `smtp://localhost:${port}`, MAIL_DKIM_KEY }).send(mail);
  const [received] = server.received;
  assert.ok(received);
  const signature = headerOf(received, 'DKIM-Signature');
  const tags = Object.fromEntries(signature.split(';').map((tag) => tag.trim().split(/=(.*)/s)));
  assert.deepEqual([tags.d, tags.s], ['example.org', 'potluck']);
  // Relaxed canonicalization of headers (RFC 6376).
  const relaxed = (name: string, value: string) =>
    `${name.toLowerCase()}:${value.replace(/\s+/g, ' ').trim()}`;
  const names: string[] = tags.h.split(':').map((name: string) => name.trim());
  assert.ok(['from', 'to', 'subject', 'message-id'].every((name) => names.includes(name)));
  const signed = [
    ...names.map((name) => relaxed(name, headerOf(received, name))),
    relaxed('dkim-signature', signature.replace(/b=[^;]*$/, 'b=')),
  ].join('\r\n');
  const isValid = createVerify('sha256')
    .update(signed)
    .verify(publicKey, tags.b.replace(/\s/g, ''), 'base64');
  assert.ok(isValid, 'the signature is not valid');
});

test('mail server: a code is sent at once, with its link, in each language, and is stored nowhere', async () => {
  const { server, port } = await startServer({});
  const mailer = createMailerWith({
    MAIL_URL: `smtp://localhost:${port}`,
    INSTANCE_NAME: 'Mölle',
    PUBLIC_URL: 'https://events.example.org',
  });
  const link = 'https://events.example.org/sign-in/link?token=x';
  for (const purpose of codePurposes)
    for (const language of languages)
      await mailer.sendCode({
        ...{ address: 'noor@example.net', purpose, code: '493027', link, language, isForStranger: true },
      });
  assert.equal(server.received.length, codePurposes.length * languages.length);
  for (const received of server.received) {
    assert.match(textOf(received), /493027[\s\S]*https:\/\/events\.example\.org\/sign-in\/link\?token=x\s/);
    assert.match(textOf(received), /Mölle/);
    assert.equal(headerOf(received, 'From'), 'Village <events@example.org>');
  }
  assert.deepEqual(await api.sql`select 1 from mails`, []);
});

test('mail code: 202 and counted for an address that the mail server refuses, as for others; 503 if it refuses this server', async () => {
  const { server, port } = await startServer({});
  const env = { MAIL_URL: `smtp://localhost:${port}`, MAIL_FROM: 'events@example.org', DEV_CODES: 'off' };
  const mailing = await api.startAnother({ env });
  const request = (email: string) => mailing.post('/v1/auth/email/request', undefined, { email });
  const known = expectStatus(await request('noor@example.net'), 202).body;
  server.reply = (command) => (command === 'RCPT' ? '550 5.1.1 no such user' : undefined);
  assert.deepEqual(expectStatus(await request('gone@example.net'), 202).body, known);
  expectProblem(await request('gone@example.net'), 429, 'too_many_codes');
  server.disconnect();
  server.reply = (command) => (command === 'MAIL' ? '550 5.7.1 this sender may not send' : undefined);
  expectProblem(await request('ada@example.net'), 503, 'mail_unavailable');
});

test('mail code: 503 to strangers above three fifths of MAIL_PER_HOUR; 202 on a known device and in a known network', async () => {
  const { server, port } = await startServer({});
  const env = { MAIL_URL: `smtp://localhost:${port}`, MAIL_FROM: 'events@example.org', DEV_CODES: 'off' };
  const mailing = await api.startAnother({ env: { ...env, MAIL_PER_HOUR: '11', TRUST_PROXY: 'loopback' } });
  api.clock.advance(2 * 3_600_000);
  const call = (path: string, from: string, body: object) =>
    mailing.call('POST', `/v1/auth/email/${path}`, { body, headers: { 'x-forwarded-for': from } });
  const [email, home] = ['mara@example.net', '203.0.113.7'];
  expectStatus(await call('request', home, { email }), 202);
  const code = textOf(server.received.at(-1) ?? assert.fail()).match(/\b\d{6}\b/)?.[0];
  const { deviceToken } = expectStatus(await call('verify', home, { email, code }), 200).body;
  api.clock.advance(60_000);
  const statuses = [];
  for (let i = 0; i < 10; i++)
    statuses.push((await call('request', `2001:db8:${i}::1`, { email: `s${i}@example.net` })).status);
  assert.deepEqual(statuses, [202, 202, 202, 202, 202, 503, 503, 503, 503, 503]);
  expectStatus(await call('request', home, { email }), 202);
  expectStatus(await call('request', '198.51.100.1', { email, deviceToken }), 202);
});

test('mail server: without PUBLIC_URL, mails lead to no page', async () => {
  const { server, port } = await startServer({});
  const mailer = createMailerWith({ MAIL_URL: `smtp://localhost:${port}` });
  const link = 'http://127.0.0.1:3000/sign-in/link?token=x';
  await mailer.sendCode({
    address: 'noor@example.net',
    purpose: 'sign_in',
    code: '493027',
    link,
    language: 'en',
    isForStranger: true,
  });
  assert.doesNotMatch(server.received[0]?.text ?? '', /href|127\.0\.0\.1/);
});

test('mail server: without one, codes are in the log, unless responses have them; and with MAIL_DRIVER=off nothing is', async () => {
  const code = {
    address: 'noor@example.net',
    purpose: 'sign_in',
    code: '493027',
    link: null,
    language: 'en',
    isForStranger: true,
  } as const;
  await createMailerWith({ MAIL_DRIVER: 'console', DEV_CODES: 'on' }).sendCode(code);
  assert.deepEqual(logged, []);
  await createMailerWith({ MAIL_DRIVER: 'console', DEV_CODES: 'off' }).sendCode(code);
  assert.match(JSON.stringify(logged), /493027/);
  const off = createMailerWith({ MAIL_DRIVER: 'off' });
  assert.equal(off.isOn, false);
  for (const attempt of [off.sendCode(code), off.send(mail)])
    await assert.rejects(attempt, { code: 'mail_unavailable', reason: 'off' });
});
