import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { after } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { createSmsDriver } from '../../src/modules/accounts/sms/driver.ts';
import { messageText } from '../../src/modules/accounts/sms/texts.ts';
import { buildApp } from '../../src/server/build-app.ts';
import { nextPhone } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

/** A stub of the Twilio API over HTTP. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let respond: Handler;
const received: { url: string; authorization: string; form: URLSearchParams }[] = [];
const stub = createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request));
  received.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '', form });
  respond(request, response);
});
await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
after(() => {
  stub.closeAllConnections();
  stub.close();
});

/** An address at which connections are refused. */
const closedUrl = await new Promise<string>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(`http://127.0.0.1:${port}`));
  });
});

const json =
  (status: number, body: unknown): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const accepted = json(201, { sid: 'SM1', status: 'queued' });

const env = {
  SMS_DRIVER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
  TWILIO_AUTH_TOKEN: 'the-auth-token',
  TWILIO_FROM: '+12025550199',
  TWILIO_BASE_URL: `http://127.0.0.1:${(stub.address() as AddressInfo).port}`,
};
const clock = new TestClock();
const api = await startTestApp({ env, clock });
const request = (phone: string, on = api) => on.post('/v1/auth/otp/request', undefined, { phone });

const nameOf = async () => 'Potluck';

test('twilio: the code is sent as a form with account SID and auth token, and opens a session', async () => {
  respond = accepted;
  const phone = nextPhone();
  assert.deepEqual(expectStatus(await request(phone), 202).body, { expiresIn: 300, resendAfter: 60 });
  const sent = received.at(-1);
  assert.match(sent?.url ?? '', /\/Accounts\/AC00000000000000000000000000000001\/Messages\.json$/);
  assert.equal(
    sent?.authorization,
    `Basic ${Buffer.from(`${env.TWILIO_ACCOUNT_SID}:the-auth-token`).toString('base64')}`,
  );
  assert.deepEqual([sent?.form.get('To'), sent?.form.get('From')], [phone, '+12025550199']);
  const code = /\d{6}/.exec(sent?.form.get('Body') ?? '')?.[0];
  expectStatus(await api.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
});

test('twilio: a messaging service in TWILIO_FROM is sent as MessagingServiceSid', async () => {
  respond = accepted;
  const served = await api.startAnother({
    env: { ...env, TWILIO_FROM: 'MG00000000000000000000000000000001' },
  });
  expectStatus(await request(nextPhone(), served), 202);
  assert.equal(received.at(-1)?.form.get('MessagingServiceSid'), 'MG00000000000000000000000000000001');
  assert.equal(received.at(-1)?.form.get('From'), null);
});

test('twilio: the message ends with the line that binds the code to the host of PUBLIC_URL', async () => {
  respond = accepted;
  const config = readConfig({ ...env, PUBLIC_URL: 'https://events.example.org' });
  const driver = createSmsDriver(config, {} as never, nameOf);
  for (const purpose of ['sign_in', 'delete_account'] as const) {
    await driver.send('+14155550142', purpose, '012345', 'en');
    const body = received.at(-1)?.form.get('Body') ?? '';
    assert.match(body, /^012345 [^\n]+\n\n@events\.example\.org #012345$/);
    assert.ok(body.length <= 160);
    // Other characters make a message of 70.
    assert.match(body, /^[\n !"#$%&'()*+,\-./0-9:;<=>?@A-Za-z]*$/);
  }
});

test('message: without the line where it does not apply, or where the message would exceed 160 characters', () => {
  for (const publicUrl of [
    'http://192.168.1.20:3000',
    'http://events.example.org',
    'https://events.example.org:8443',
    `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example.org`,
  ]) {
    const message = { purpose: 'sign_in', code: '012345', language: 'en' } as const;
    const text = messageText(message, { publicUrl, instanceName: 'Potluck' });
    assert.match(text, /^012345 is your Potluck code\. [^\n@]+$/, publicUrl);
  }
});

test('twilio: 503 with Retry-After for an error response of Twilio; the attempt does not count towards limits', async () => {
  const phone = nextPhone();
  const faults = [
    json(400, { code: 21211, message: `The number ${phone} is not valid` }),
    json(401, { code: 20003, message: 'Authenticate' }),
    json(500, { message: 'oops' }),
    (_request: IncomingMessage, response: ServerResponse) => response.writeHead(502).end('no JSON at all'),
    (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(307, { location: '/moved' }).end(),
  ];
  // The attempts exceed the daily limit of codes per phone.
  for (const fault of [...faults, ...faults, ...faults]) {
    respond = fault;
    const { headers, body } = expectProblem(await request(phone), 503, 'sms_unavailable');
    assert.equal(headers.get('retry-after'), '60');
    assert.ok(!JSON.stringify(body).includes(phone));
  }
  assert.ok(
    !received.some(({ url }) => url === '/moved'),
    'the number and the code were sent to another address',
  );
  respond = accepted;
  expectStatus(await request(phone), 202);
});

test('twilio: 503 when the connection is refused; the attempt does not count towards limits', async () => {
  const phone = nextPhone();
  const closed = await api.startAnother({ env: { ...env, TWILIO_BASE_URL: closedUrl } });
  expectProblem(await request(phone, closed), 503, 'sms_unavailable');
  respond = accepted;
  expectStatus(await request(phone), 202);
});

test('twilio: 503 when Twilio closes the connection or times out; the code counts towards limits and is valid', async () => {
  const closesConnection: Handler = (_request, response) => response.destroy();
  const neverResponds: Handler = () => {};
  await Promise.all(
    [closesConnection, neverResponds].map(async (fault) => {
      const phone = nextPhone();
      respond = fault;
      const { headers } = expectProblem(await request(phone), 503, 'sms_unavailable');
      assert.equal(headers.get('retry-after'), '60');
      expectProblem(await request(phone), 429, 'too_many_codes');
      const body = received.findLast(({ form }) => form.get('To') === phone)?.form.get('Body');
      const code = /\d{6}/.exec(body ?? '')?.[0];
      expectStatus(await api.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
    }),
  );
  clock.advance(61_000);
});

type Line = { reqId?: string; outcome?: string; msg: string };

test('twilio: each kind of failure has its own log entry with the id of the request and its own count; no entry has the phone, the code or the token', async (t) => {
  const refused = await api.startAnother({ env: { ...env, TWILIO_BASE_URL: closedUrl } });
  const kinds: { outcome: string; on: typeof api; fault?: Handler }[] = [
    {
      outcome: 'refused',
      on: api,
      fault: (_request, response) =>
        json(400, { code: 21211, message: `Invalid 'To': ${received.at(-1)?.form}` })(_request, response),
    },
    {
      outcome: 'refused',
      on: api,
      fault: (_request, response) =>
        json(400, { code: `Invalid 'To': ${received.at(-1)?.form}` })(_request, response),
    },
    { outcome: 'unreachable', on: refused },
    { outcome: 'timeout', on: api, fault: () => {} },
    { outcome: 'lost', on: api, fault: (_request, response) => response.destroy() },
  ];
  const texts = new Set<string>();
  for (const { outcome, on, fault = accepted } of kinds) {
    const lines: Line[] = [];
    const mocked = t.mock.method(on.app.log, 'error', (fields: object, msg: string) =>
      lines.push({ ...fields, msg }),
    );
    const before = await countTexts(outcome);
    const phone = nextPhone();
    respond = fault;
    const { headers } = expectProblem(await request(phone, on), 503, 'sms_unavailable');
    mocked.mock.restore();
    assert.deepEqual(
      lines.map((line) => [line.outcome, line.reqId]),
      [[outcome, headers.get('x-request-id')]],
    );
    assert.equal(await countTexts(outcome), before + 1, outcome);
    texts.add(lines[0]?.msg ?? '');
    const form = received.findLast(({ form }) => form.get('To') === phone)?.form;
    const code = /\d{6}/.exec(form?.get('Body') ?? '')?.[0] ?? 'none';
    for (const secret of [phone.slice(1), code, 'the-auth-token'])
      assert.ok(!JSON.stringify(lines).includes(secret), outcome);
  }
  assert.equal(texts.size, 4);
  respond = accepted;
  const before = await countTexts('sent');
  expectStatus(await request(nextPhone()), 202);
  assert.equal(await countTexts('sent'), before + 1);
});

async function countTexts(outcome: string): Promise<number> {
  const series = `potluck_text_messages_total{driver="twilio",outcome="${outcome}"} `;
  const { body } = expectStatus(await api.get('/metrics'), 200);
  return Number(`${body}`.split(series)[1]?.split('\n')[0]);
}

/** Starts an app with the SMS driver of the configuration, and collects the log of the driver. */
async function exposedServer(env: Record<string, string>) {
  const config = readConfig({ LOG_LEVEL: 'silent', ...env });
  const logged: { number: string; purpose: string; code: string }[] = [];
  const log = { warn: (fields: (typeof logged)[number]) => logged.push(fields) };
  const sms = createSmsDriver(config, log as never, nameOf);
  const secretKey = 'a-key-of-thirty-two-characters-or-more';
  const clock = new TestClock();
  const app = await buildApp({ config: { ...config, secretKey }, db: api.sql, sms, clock: clock.now });
  const post = async (url: string, payload: object, token?: string) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const response = await app.inject({ method: 'POST', url, payload, headers });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, clock, logged, post };
}

for (const env of [
  { HOST: '0.0.0.0' },
  { TRUST_PROXY: 'loopback' },
  { PUBLIC_URL: 'https://events.example.org' },
  { DEV_CODES: 'off' },
] as Record<string, string>[]) {
  const name = Object.entries(env).flat().join('=');
  test(`console driver outside production with ${name}: 202 without devCode, the code in the log, 429 within a minute`, async () => {
    const { app, clock, logged, post } = await exposedServer(env);
    const phone = nextPhone();
    const sent = await post('/v1/auth/otp/request', { phone });
    assert.deepEqual(sent, { status: 202, body: { expiresIn: 300, resendAfter: 60 } });
    assert.equal((await post('/v1/auth/otp/request', { phone })).status, 429);
    assert.deepEqual(
      logged.map(({ number, purpose }) => [number, purpose]),
      [[`…${phone.slice(-3)}`, 'sign_in']],
    );
    const { status, body } = await post('/v1/auth/otp/verify', { phone, code: logged[0]?.code });
    assert.equal(status, 200);
    clock.advance(60_000);
    const deletion = await post('/v1/me/delete-code', {}, body.accessToken);
    assert.deepEqual(deletion, { status: 202, body: { expiresIn: 300, resendAfter: 60 } });
    assert.equal(logged[1]?.purpose, 'delete_account');
    await app.close();
  });
}

test('console driver with HOST=0.0.0.0 and DEV_CODES=on: 202 with devCode, without limits on codes', async () => {
  const { app, logged, post } = await exposedServer({ HOST: '0.0.0.0', DEV_CODES: 'on' });
  const phone = nextPhone();
  for (let i = 0; i < 2; i++) {
    const { status, body } = await post('/v1/auth/otp/request', { phone });
    assert.deepEqual([status, Object.keys(body)], [202, ['expiresIn', 'resendAfter', 'devCode']]);
  }
  assert.deepEqual(logged, []);
  await app.close();
});

test('console driver in production: the code is in the log without the full phone, and not in the response', async () => {
  const production = {
    NODE_ENV: 'production',
    SECRET_KEY: 'a-key-of-thirty-two-characters-or-more',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'https://events.example.org',
  };
  const config = readConfig({ ...production, SMS_DRIVER: 'console' });
  const logged: object[] = [];
  const driver = createSmsDriver(config, { warn: (fields: object) => logged.push(fields) } as never, nameOf);
  const secretKey = config.secretKey ?? '';
  const app = await buildApp({ config: { ...config, secretKey }, db: api.sql, sms: driver });
  const response = await app.inject({
    method: 'POST',
    url: '/v1/auth/otp/request',
    payload: { phone: '+14155550143' },
  });
  await app.close();
  assert.deepEqual(response.json(), { expiresIn: 300, resendAfter: 60 });
  assert.deepEqual(Object.keys(logged[0] ?? {}), ['number', 'purpose', 'code']);
  assert.ok(!JSON.stringify(logged).includes('4155550143'));
});
