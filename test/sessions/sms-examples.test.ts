/** Each example of docs/operating.md makes the request that its service expects. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { parseEnv } from 'node:util';
import { readDocument } from '../../docs/generate.ts';
import { readConfig } from '../../src/config/config.ts';
import { nextPhone } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { codeIn, openSmsService, respondWith } from './sms-service.ts';

type Body = Record<string, unknown>;
type Expected = {
  /** Method, host and path. */
  request: string;
  headers?: Record<string, string>;
  /** What the service reads from its query, form or JSON. */
  message: (phone: string, text: string) => Body;
  accepted: [status: number, body: Body];
  refused: [status: number, body: Body];
};

const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;
const digits = (phone: string) => phone.replace('+', '');

const services: Record<string, Expected> = {
  '46elks (Sweden)': {
    request: 'POST api.46elks.com/a1/sms',
    headers: {
      authorization: basic('USERNAME:PASSWORD'),
      'content-type': 'application/x-www-form-urlencoded',
    },
    message: (to, message) => ({ from: 'Potluck', to, message }),
    accepted: [200, { status: 'created', id: 's70df59406a1b4643b96f3f91e0bfb7b0' }],
    refused: [403, {}],
  },
  'GatewayAPI (Denmark)': {
    request: 'POST messaging.gatewayapi.eu/mobile/single',
    headers: { authorization: 'Token YOUR_TOKEN', 'content-type': 'application/json' },
    message: (to, message) => ({ sender: 'Potluck', recipient: Number(digits(to)), message }),
    accepted: [202, { msg_id: '01JNN696A9E0WS89FPYGT15NBX' }],
    refused: [401, {}],
  },
  'seven (Germany)': {
    request: 'POST gateway.seven.io/api/sms',
    headers: { 'x-api-key': 'YOUR_KEY', accept: 'application/json', 'content-type': 'application/json' },
    message: (to, text) => ({ from: 'Potluck', to, text }),
    accepted: [200, { success: '100', total_price: 0.075 }],
    refused: [200, { success: '900' }],
  },
  'Bird, formerly MessageBird (Netherlands)': {
    request: 'POST rest.messagebird.com/messages',
    headers: { authorization: 'AccessKey YOUR_KEY', 'content-type': 'application/json' },
    message: (to, body) => ({ originator: 'Potluck', recipients: [digits(to)], body, datacoding: 'auto' }),
    accepted: [201, { id: 'e8077d803532c0b5937c639b60216938' }],
    refused: [422, { errors: [{ code: 9 }] }],
  },
  'SMSAPI (Poland)': {
    request: 'POST api.smsapi.com/sms.do',
    headers: { authorization: 'Bearer YOUR_TOKEN', 'content-type': 'application/x-www-form-urlencoded' },
    message: (to, message) => ({
      from: 'Potluck',
      to: digits(to),
      message,
      encoding: 'utf-8',
      format: 'json',
    }),
    accepted: [200, { count: 1, list: [{ id: '1460969715572091219' }] }],
    refused: [200, { error: 101, message: 'Invalid authorization data' }],
  },
  'OVHcloud (France)': {
    request: 'GET www.ovh.com/cgi-bin/sms/http2sms.cgi',
    message: (to, message) => ({
      account: 'sms-xx11111-1',
      login: 'LOGIN',
      password: 'PASSWORD',
      from: 'Potluck',
      to,
      message,
      noStop: '1',
      contentType: 'application/json',
    }),
    accepted: [200, { status: 100, creditLeft: '230.50', smsIds: ['69265512'] }],
    refused: [200, { status: 401, message: 'Access refused' }],
  },
  'A phone on your desk': {
    request: 'POST 192.168.1.50:8080/message',
    headers: { authorization: basic('USERNAME:PASSWORD'), 'content-type': 'application/json' },
    message: (phone, text) => ({ textMessage: { text }, phoneNumbers: [phone] }),
    accepted: [202, { state: 'Pending' }],
    refused: [401, {}],
  },
};

const chapter =
  (await readDocument('operating.md')).split('\n## Text messages\n')[1]?.split('\n## ')[0] ?? '';
const examples = new Map(
  Array.from(chapter.matchAll(/^#### (.+)\n\n.+\n\n```sh\n([^`]+)```/gm), ([, name = '', block = '']) => [
    name,
    parseEnv(block),
  ]),
);

const stub = await openSmsService();
after(() => stub.close());
const api = await startTestApp();
/** The code in Arabic, with characters that end a string or a parameter somewhere. */
const settings = { PUBLIC_URL: 'https://a.example.org', INSTANCE_NAME: "A'b\\c&d=e #f%20+{text}" };
const textOf = (code: string) => `${code} هو رمزك في ${settings.INSTANCE_NAME}.\n\n@a.example.org #${code}`;

/** Splits what the stub received into the message and the rest. */
function lastRequest() {
  const { method, url, headers, body } = stub.received.at(-1) ?? assert.fail('no request');
  const isJson = headers['content-type'] === 'application/json';
  const form = Object.fromEntries(body ? new URLSearchParams(body) : url.searchParams);
  return { method, path: url.pathname, headers, message: isJson ? (JSON.parse(body) as Body) : form };
}

test('text messages: operating.md has an example for each service of this test, and no other', () => {
  assert.deepEqual([...examples.keys()], Object.keys(services));
});

for (const [name, { request, headers = {}, message, accepted, refused }] of Object.entries(services)) {
  test(`text messages: the example for ${name} sends the request of that service, and knows its refusal`, async () => {
    const env = examples.get(name) as Record<string, string>;
    const { SMS_HTTP_URL: address = '' } = env;
    // Unchanged, the example is a valid configuration.
    assert.equal(readConfig(env).sms.driver, 'http');
    const SMS_HTTP_URL = address.replace(/^(https?:\/\/(?:[^/@]*@)?)[^/]+/, `$1${new URL(stub.url).host}`);
    const served = await api.startAnother({
      env: { ...env, ...settings, SMS_HTTP_URL: SMS_HTTP_URL.replace('https:', 'http:') },
    });
    const phone = nextPhone();
    const requestCode = () =>
      served.call('POST', '/v1/auth/otp/request', { body: { phone }, headers: { 'accept-language': 'ar' } });
    stub.respond = respondWith(...refused);
    expectProblem(await requestCode(), 503, 'sms_unavailable');
    stub.respond = respondWith(...accepted);
    expectStatus(await requestCode(), 202);
    const sent = lastRequest();
    assert.equal(`${sent.method} ${new URL(address).host}${sent.path}`, request);
    for (const [header, value] of Object.entries(headers)) assert.equal(sent.headers[header], value, header);
    const code = codeIn(JSON.stringify(sent.message).replaceAll(digits(phone), ''));
    assert.deepEqual(sent.message, message(phone, textOf(code)));
    expectStatus(await served.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
  });
}
