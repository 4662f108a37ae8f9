/** What leaves the server: messages and requests as part of a trace, and no secrets in what is exported. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createBucket, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { after } from 'node:test';
import { rootSpan } from '#telemetry';
import { createPostPush } from '../../src/modules/notifications/push/post-push.ts';
import { codeIn, openSmsService } from '../sessions/sms-service.ts';
import type { ReceivedSpan } from '../support/collector.ts';
import {
  createEvent,
  createUpload,
  createUser,
  fromPage,
  nextAddress,
  nextPhone,
  signInBrowser,
} from '../support/factories.ts';
import { localhostCertificate } from '../support/localhost-certificate.ts';
import { MailServer } from '../support/mail-server.ts';
import { OidcProvider } from '../support/oidc-stub.ts';
import { s3Env } from '../support/s3-stub.ts';
import { type Api, expectStatus } from '../support/setup.ts';
import { newTrace, startTracedApp } from './traced-app.ts';

const sms = await openSmsService();
const mailServer = new MailServer();
const mailPort = await mailServer.listen();
after(() => sms.close());
after(() => mailServer.close());

const key = 'key-of-the-sms-service';
const { api, collector } = await startTracedApp({
  env: {
    SMS_DRIVER: 'http',
    SMS_HTTP_URL: `${sms.url}/${key}?to={phone}&text={text}`,
    SMS_HTTP_METHOD: 'GET',
    MAIL_URL: `smtp://user:the-mail-password@127.0.0.1:${mailPort}?tls=off`,
    MAIL_FROM: 'potluck@example.org',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=the%20key',
  },
});

/** The API, with the codes of the text messages. */
const readingSms: Api = {
  ...api,
  get sent() {
    return sms.received.map(({ url: { searchParams } }) => ({
      phone: searchParams.get('to') ?? '',
      purpose: 'sign_in' as const,
      code: codeIn(searchParams.get('text') ?? ''),
    }));
  },
};

/** Sends a request that begins a trace. Returns its span of the given name. */
async function spanOf(name: string, path: string, body: unknown): Promise<ReceivedSpan> {
  const { traceId, headers } = newTrace();
  expectStatus(await api.call('POST', path, { body, headers }), 202);
  const found = await collector.untilSpan(name, (span) => span.name === name && span.traceId === traceId);
  const root = await collector.untilSpan(path, (span) => span.kind === 2 && span.traceId === traceId);
  assert.equal(found.parentSpanId, root.spanId);
  return found;
}

test('outgoing: a text message is a span, and its request continues the trace', async () => {
  const span = await spanOf('send SMS', '/v1/auth/otp/request', { phone: nextPhone() });
  assert.deepEqual(span.attributes, {
    'http.request.method': 'GET',
    'server.address': '127.0.0.1',
    'http.response.status_code': 200,
  });
  assert.equal(sms.received.at(-1)?.headers.traceparent, `00-${span.traceId}-${span.spanId}-01`);
});

test('outgoing: a request in a trace that is not recorded says so', async () => {
  const { traceId, headers } = newTrace('00');
  const body = { phone: nextPhone() };
  expectStatus(await api.call('POST', '/v1/auth/otp/request', { body, headers }), 202);
  assert.match(`${sms.received.at(-1)?.headers.traceparent}`, new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
});

test('outgoing: a mail is a span; a failure has its reason and none of the words of the mail server', async () => {
  const span = await spanOf('send mail', '/v1/auth/email/request', { email: nextAddress() });
  assert.deepEqual(span.attributes, { 'server.address': '127.0.0.1', 'server.port': mailPort });
  const email = nextAddress();
  mailServer.reply = (command) => (command === 'RCPT' ? `550 no ${email} here` : undefined);
  const failed = await spanOf('send mail', '/v1/auth/email/request', { email });
  assert.deepEqual([failed.status, failed.attributes['error.type']], [{ code: 2 }, 'mail_unavailable']);
  mailServer.reply = () => undefined;
});

test('outgoing: a push is a span with the host alone, and its request continues the trace', async () => {
  const { cert, key: privateKey } = localhostCertificate;
  const received: unknown[] = [];
  const service = createServer({ cert, key: privateKey }, (request, response) => {
    received.push(request.headers.traceparent);
    response.writeHead(201).end();
  });
  after(() => service.close());
  await once(service.listen(0, 'localhost'), 'listening');
  const endpoint = `https://localhost:${(service.address() as AddressInfo).port}/secret-of-the-browser`;
  const post = createPostPush({ isAllowed: () => true, ca: cert });
  await rootSpan('job send pushes', () => post({ endpoint, headers: {}, body: Buffer.from('sealed') }));
  const span = await collector.untilSpan('a push', ({ name }) => name === 'send push');
  assert.equal(span.attributes['server.address'], 'localhost');
  assert.deepEqual(received, [`00-${span.traceId}-${span.spanId}-01`]);
});

test('outgoing: requests to the bucket of images continue the trace, and sign the header', async () => {
  const received: IncomingHttpHeaders[] = [];
  const bucket = createBucket((request, response) => {
    received.push(request.headers);
    request.resume().on('end', () => response.end());
  });
  after(() => bucket.close());
  await once(bucket.listen(0, '127.0.0.1'), 'listening');
  const { port } = bucket.address() as AddressInfo;
  const server = await api.startAnother({ env: s3Env(`http://127.0.0.1:${port}`) });
  await createUpload(server, await createUser(readingSms));
  const span = await collector.untilSpan('an upload', ({ name }) => name === 'use the bucket of images');
  const [{ traceparent, authorization } = {}] = received;
  assert.equal(traceparent, `00-${span.traceId}-${span.spanId}-01`);
  assert.match(`${authorization}`, /SignedHeaders=[^,]*\btraceparent\b/);
});

test('outgoing: requests to the OpenID Connect provider continue the trace', async () => {
  const { provider, close } = await OidcProvider.open();
  after(close);
  const received: unknown[] = [];
  provider.script.respond = (_path, { req }) => received.push(req.headers.traceparent) < 0;
  const server = await api.startAnother({ env: provider.env() });
  expectStatus(await server.call('POST', '/v1/auth/oidc/start', { body: {}, headers: fromPage }), 200);
  const isSearched = ({ name }: ReceivedSpan) => name === 'ask the OpenID Connect provider';
  const span = await collector.untilSpan('a request to the provider', isSearched);
  assert.deepEqual(received, [`00-${span.traceId}-${span.spanId}-01`]);
});

test('outgoing: requests to the collector have the configured headers', () => {
  for (const { headers, path } of collector.requests)
    assert.deepEqual([headers['x-api-key'], /^\/v1\/(traces|logs|metrics)$/.test(path)], ['the key', true]);
});

test('outgoing: no secret and no personal data is exported', async () => {
  const person = await createUser(readingSms);
  const cookie = await signInBrowser(readingSms, nextPhone());
  const { url } = expectStatus(await api.post('/v1/me/calendar', person.token), 201).body;
  const secret = /calendars\/(.+)\.ics/.exec(url)?.[1] ?? '';
  const email = nextAddress();
  expectStatus(await api.call('PUT', '/v1/me/email', { token: person.token, body: { email } }), 202);
  const event = await createEvent(api, person, { title: 'Title of the event' });
  const paths = [
    `/v1/calendars/${secret}.ics`,
    `//v1/calendars/${secret}.ics`,
    `/${secret}`,
    `/v1/events?search=${encodeURIComponent(person.phone)}`,
    `/v1/users/${encodeURIComponent(person.phone)}`,
    `/v1/auth/sessions/${person.token}`,
    `/v1/events/${event.id}?token=${person.refreshToken}`,
  ];
  const headers = { authorization: `Bearer ${person.token}`, cookie };
  for (const path of paths) await fetch(api.url + path, { headers });
  const { traceId, headers: last } = newTrace();
  await api.call('GET', '/v1/events', { headers: last });
  await collector.untilSpan('the last request', (span) => span.traceId === traceId && span.kind === 2);
  assert.ok(secret.length > 20);
  const secrets = [
    ...[secret, person.token, person.refreshToken, person.phone.slice(1), cookie.split('=')[1] ?? '', email],
    ...[key, 'the-mail-password', 'the key', 'Title of the event', 'secret-of-the-browser'],
    ...mailServer.received.map(({ to }) => to),
  ];
  for (const each of secrets) assert.ok(!collector.text.includes(each), `${each} was exported`);
  // As a word: times and ids have the same six digits now and then.
  const codes = [
    ...readingSms.sent.map(({ code }) => code),
    ...mailServer.received.map(({ text }) => codeIn(text)),
  ];
  for (const code of codes)
    assert.doesNotMatch(collector.text, new RegExp(`(?<![\\w.])${code}(?!\\w)`), `${code} was exported`);
});
