/** Messages through any service with an HTTP API: what is sent, which responses confirm it, and what is logged. */
import assert from 'node:assert/strict';
import test, { after, type TestContext } from 'node:test';
import { nextPhone } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { codeIn, openSmsService, type Respond, respondWith } from './sms-service.ts';

const stub = await openSmsService();
after(() => stub.close());

const { host } = new URL(stub.url);
const env = {
  SMS_DRIVER: 'http',
  SMS_HTTP_URL: `http://me:url%20password@${host}/send?key=query-key&kind=sms`,
  SMS_HTTP_HEADERS: '{"X-Key":"header-key"}',
  SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}","options":{}}',
};
const clock = new TestClock();
const api = await startTestApp({ env, clock });
const request = (phone: string, on = api) => on.post('/v1/auth/otp/request', undefined, { phone });
const lastSent = () => stub.received.at(-1) ?? assert.fail('no request');

test('http: the code is sent as the template says, and opens a session', async () => {
  stub.respond = respondWith(202);
  const phone = nextPhone();
  assert.deepEqual(expectStatus(await request(phone), 202).body, { expiresIn: 300, resendAfter: 60 });
  const { method, url, headers, body } = lastSent();
  assert.deepEqual([method, `${url.pathname}${url.search}`], ['POST', '/send?key=query-key&kind=sms']);
  assert.deepEqual(
    [headers.authorization, headers['x-key'], headers['content-type']],
    [`Basic ${Buffer.from('me:url password').toString('base64')}`, 'header-key', 'application/json'],
  );
  const { text, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, { to: phone, options: {} });
  assert.match(text, /^\d{6} is your Potluck code\. [^\n]+$/);
  expectStatus(await api.post('/v1/auth/otp/verify', undefined, { phone, code: codeIn(text) }), 200);
});

test('http: no character of a value ends a string of the JSON, a parameter of the form or of the address', async () => {
  const INSTANCE_NAME = "A'b\\c&text=d #%26+{phone}";
  const SMS_HTTP_SENDER = 'A"b&to=c';
  const templates: Record<string, Record<string, string>> = {
    json: { SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}","from":"{sender}"}' },
    'json in an array': { SMS_HTTP_BODY: '[{"to":{digits},"text":"{text}","from":"{sender}"}]' },
    form: { SMS_HTTP_BODY: 'to={phone}&text={text}&from={sender}' },
    address: {
      SMS_HTTP_URL: `${stub.url}/{digits}?text={text}&to=%2B{digits}&from={sender}`,
      SMS_HTTP_METHOD: 'PUT',
      SMS_HTTP_BODY: '',
    },
  };
  for (const [name, template] of Object.entries(templates)) {
    const served = await api.startAnother({ env: { ...env, INSTANCE_NAME, SMS_HTTP_SENDER, ...template } });
    const phone = nextPhone();
    expectStatus(await request(phone, served), 202);
    const { body, url, method } = lastSent();
    const form = new URLSearchParams(body || url.search);
    const values = name.startsWith('json') ? [JSON.parse(body)].flat()[0] : Object.fromEntries(form);
    assert.deepEqual([`+${values.to}`.replace('++', '+'), values.from], [phone, SMS_HTTP_SENDER], name);
    const start = `${codeIn(values.text)} is your ${INSTANCE_NAME} code.`;
    assert.equal(`${values.text}`.slice(0, start.length), start, name);
    if (name === 'address') assert.deepEqual([method, url.pathname, body], ['PUT', `/${phone.slice(1)}`, '']);
  }
});

test('http: 503 with Retry-After for any other status and for redirects; the attempt does not count towards limits', async () => {
  const phone = nextPhone();
  const before = stub.received.length;
  const refusals = [
    respondWith(400, { message: `The number ${phone} is not valid` }),
    respondWith(401),
    respondWith(500),
    respondWith(302, {}, { location: '/moved' }),
    respondWith(307, {}, { location: '/moved' }),
  ];
  // The attempts exceed the daily limit of codes per phone.
  for (const refusal of [...refusals, ...refusals, ...refusals]) {
    stub.respond = refusal;
    const { headers, body } = expectProblem(await request(phone), 503, 'sms_unavailable');
    assert.equal(headers.get('retry-after'), '60');
    assert.ok(!JSON.stringify(body).includes(phone));
  }
  assert.equal(stub.received.length, before + 15, 'a redirect was followed, with the number and the keys');
  stub.respond = respondWith(200);
  expectStatus(await request(phone), 202);
});

test('http: SMS_HTTP_STATUSES and SMS_HTTP_RESPONSE decide what confirms a message', async () => {
  const served = await api.startAnother({
    env: { ...env, SMS_HTTP_STATUSES: '200, 204-206', SMS_HTTP_RESPONSE: '"status": 0' },
  });
  for (const [status, body, isSent] of [
    [200, { status: 0 }, true],
    [205, undefined, false],
    [206, { messages: [{ status: 0 }] }, true],
    [200, { status: 5 }, false],
    [201, { status: 0 }, false],
    [207, { status: 0 }, false],
  ] as const) {
    stub.respond = respondWith(status, body);
    const { status: answer } = await request(nextPhone(), served);
    assert.equal(answer, isSent ? 202 : 503, `${status} ${JSON.stringify(body)}`);
  }
});

test('http: 503 when the service closes the connection or times out; the code counts towards limits and is valid', async () => {
  const served = await api.startAnother({ env: { ...env, SMS_HTTP_RESPONSE: 'ok' } });
  const faults: Respond[] = [
    (response) => response.destroy(),
    () => {},
    // The status arrives, but not what confirms the message.
    (response) => response.writeHead(200, { 'content-length': '100' }).write('o'),
  ];
  const phones = faults.map(() => nextPhone());
  stub.respond = (response, sent) =>
    faults[phones.findIndex((phone) => sent.body.includes(phone))]?.(response, sent);
  await Promise.all(
    phones.map(async (phone) => {
      expectProblem(await request(phone, served), 503, 'sms_unavailable');
      expectProblem(await request(phone, served), 429, 'too_many_codes');
      const sent = stub.received.findLast(({ body }) => body.includes(phone));
      const code = codeIn(JSON.parse(sent?.body ?? '{}').text);
      expectStatus(await served.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
    }),
  );
  clock.advance(61_000);
});

type Line = { outcome?: string; status?: number };

function collectErrors(t: TestContext, { app }: typeof api): Line[] {
  const lines: Line[] = [];
  t.mock.method(app.log, 'error', (fields: object, msg: string) => lines.push({ ...fields, msg } as Line));
  return lines;
}

test('http: a response without end is read up to a limit, so that it neither fills the memory nor waits', async (t) => {
  const served = await api.startAnother({ env: { ...env, SMS_HTTP_RESPONSE: 'ok' } });
  const lines = collectErrors(t, served);
  stub.respond = (response) => {
    response.writeHead(200);
    const more = setInterval(() => response.write('x'.repeat(10_000)), 5);
    response.on('close', () => clearInterval(more));
  };
  expectProblem(await request(nextPhone(), served), 503, 'sms_unavailable');
  // Without the limit, the response is cut off by the timeout: `lost`.
  assert.deepEqual(
    lines.map(({ outcome, status }) => [outcome, status]),
    [['refused', 200]],
  );
});

test('http: no log entry and no response has the phone, the code, or a key of the configuration', async (t) => {
  const lines = collectErrors(t, api);
  const phone = nextPhone();
  stub.respond = (response, sent) => respondWith(400, { error: sent, message: env })(response, sent);
  const { body } = expectProblem(await request(phone), 503, 'sms_unavailable');
  assert.deepEqual(
    lines.map(({ outcome, status }) => [outcome, status]),
    [['refused', 400]],
  );
  const code = codeIn(JSON.parse(lastSent().body).text);
  const { body: metrics } = expectStatus(await api.get('/metrics'), 200);
  assert.match(`${metrics}`, /^potluck_text_messages_total\{driver="http",outcome="refused"\} [1-9]/m);
  const shown = JSON.stringify([lines, body, metrics]);
  const secrets = [phone.slice(1), code, 'url password', 'url%20password', 'query-key', 'header-key'];
  for (const secret of secrets) assert.ok(!shown.includes(secret), secret);
});
