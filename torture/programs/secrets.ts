import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '#pg';
import type { OpenApi } from '../api.ts';
import { runConcurrently } from '../client.ts';
import type { Environment } from '../environment.ts';
import { readOperations } from '../fuzz/steps.ts';
import type { Program } from '../program.ts';
import { sendRaw } from '../raw-connection.ts';
import { findLeaks, type Secrets } from '../secrets/leaks.ts';

/** Secret values that must not appear anywhere else. */
type Canaries = {
  phone: string;
  name: string;
  code: string;
  access: string;
  refresh: string;
  /** The token of a browser session. */
  browser: string;
  device: string;
  /** The secret in the URL of the personal calendar. */
  calendar: string;
  tried: string;
  key: string;
};
/** A response, and the request that it answers. */
type Answer = { to: string; text: string };

const key = 'canary-key-of-the-secrets-torture-0123456789';
/** Of the server with production settings. */
const cookieName = 'potluck-80';
const authToken = 'canary0twilio0auth0token00000000';

export const secrets: Program = {
  name: 'secrets',
  expectation:
    'canary phone numbers, codes, tokens and names through every error path: 0 in logs, in responses to ' +
    'other users or in clear text in the database',
  quick: true,
  async run({ startEnvironment, progress }) {
    const sms = await openTwilioStub();
    const env = {
      SECRET_KEY: key,
      LOG_LEVEL: 'trace',
      SMS_DRIVER: 'twilio',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    };
    const twilio = { TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: '+12025550000', TWILIO_BASE_URL: sms.url };
    try {
      const environment = await startEnvironment({ env: { ...env, ...twilio, RATE_LIMIT: '100000' } });
      // Another server with production settings, which logs JSON.
      await environment.start({
        NODE_ENV: 'production',
        PUBLIC_URL: 'http://127.0.0.1',
        RATE_LIMIT: '100000',
      });
      const canaries = await signIn(environment, sms);
      const responses: Answer[] = [];
      for (const [name, pass] of Object.entries({ messages, errors, wire, breakage, outage })) {
        progress(name);
        await pass(environment, canaries, responses);
      }
      return await verdict(environment, canaries, responses, [...sms.codes.values()]);
    } finally {
      sms.close();
    }
  },
};

type TwilioStub = { url: string; codes: Map<string, string>; close(): void };

/**
 * A stub of Twilio that records the codes. It refuses all messages but the first two, so that errors are logged.
 */
async function openTwilioStub(): Promise<TwilioStub> {
  const codes = new Map<string, string>();
  let requests = 0;
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const form = new URLSearchParams(sent);
      codes.set(form.get('To') ?? '', form.get('Body')?.slice(0, 6) ?? '');
      const isRefused = requests++ > 1;
      response.writeHead(isRefused ? 400 : 201, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isRefused ? { code: 21211, message: `Invalid 'To' ${sent}`, status: 400 } : { sid: 'SM0' },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, codes, close: () => server.close() };
}

async function signIn({ client }: Environment, sms: TwilioStub): Promise<Canaries> {
  const phone = '+14155557391';
  await client.send('POST', '/v1/auth/otp/request', { body: { phone } });
  const code = sms.codes.get(phone) ?? '';
  const { body } = await client.send('POST', '/v1/auth/otp/verify', { body: { phone, code } });
  if (!body.accessToken) throw new Error(`the sign-in failed: ${JSON.stringify(body)}`);
  const name = 'Kanarievogel Quetzalcoatl';
  await client.send('PATCH', '/v1/me', { token: body.accessToken, body: { name, isPrivate: true } });
  const created = await client.send('POST', '/v1/me/calendar', { token: body.accessToken });
  const calendar = /pc_[\w-]+/.exec(created.body.url)?.[0];
  if (!calendar) throw new Error(`the calendar was not created: ${JSON.stringify(created.body)}`);
  const { accessToken: access, refreshToken: refresh, deviceToken: device } = body;
  const browser = await signInBrowser(client, sms);
  return { phone, name, code, access, refresh, browser, device, calendar, tried: '918273', key };
}

async function signInBrowser(client: Environment['client'], sms: TwilioStub): Promise<string> {
  const phone = '+14155557390';
  await client.send('POST', '/v1/auth/otp/request', { body: { phone } });
  const { headers } = await client.send('POST', '/v1/auth/browser-session', {
    body: { phone, code: sms.codes.get(phone) },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const token = /pb_[\w-]+/.exec(`${headers['set-cookie']}`)?.[0];
  if (!token) throw new Error('the sign-in of the browser failed');
  return token;
}

/** The SMS stub refuses these messages, and its refusal contains the phone and the text. */
async function messages(
  { client, servers }: Environment,
  canaries: Canaries,
  responses: Answer[],
): Promise<void> {
  for (const [i, server] of servers.entries()) {
    const other = { phone: `${canaries.phone.slice(0, -1)}${i + 2}` };
    const { status, body } = await client.send('POST', '/v1/auth/otp/request', { body: other, server });
    if (status !== 503) throw new Error(`a message was sent: ${status}`);
    responses.push({ to: `POST /v1/auth/otp/request ${status}`, text: JSON.stringify(body) });
  }
}

function errorCalls(document: OpenApi, canaries: Canaries) {
  const { phone, code, refresh, access, browser, calendar, tried, name } = canaries;
  const values = [phone, tried, code, refresh, access, browser, calendar, name].map(encodeURIComponent);
  const body = { phone, code: tried, refreshToken: refresh, confirmCode: tried, name, surprise: access };
  const validBodies = [
    { phone, code: tried },
    { phone },
    { confirmCode: tried },
    { refreshToken: `${refresh}x` },
  ];
  const rawBodies = [
    JSON.stringify(body),
    JSON.stringify(body).slice(0, -1),
    `phone=${phone}&code=${code}`,
    JSON.stringify([body]),
  ];
  return readOperations(document).flatMap(({ method, path, query }) =>
    values.flatMap((secret) => {
      // The secret is the value of every known parameter and of an unknown one.
      const search = [...query.map(({ name }) => name), 'token'].map((name) => `${name}=${secret}`).join('&');
      const url = `${path.replace(/\{\w+\}/, secret)}?${search}`;
      const bodies =
        method === 'GET' ? [undefined] : [...rawBodies, ...validBodies.map((each) => JSON.stringify(each))];
      return bodies.flatMap((raw) => [
        { method, url, raw, headers: {} },
        { method, url: path.replace(/\{\w+\}/, secret), raw, headers: { 'content-type': 'text/plain' } },
        { method: 'PUT', url, raw, headers: { cookie: `${cookieName}=${browser}x` } },
        {
          method,
          url: `/nowhere/${secret}${url}`,
          raw,
          headers: { 'x-code': code, cookie: `token=${access}; ${cookieName}=${browser}` },
        },
      ]);
    }),
  );
}

/** Sends every secret in every path, query and body of every operation. */
async function errors(
  { client, servers }: Environment,
  canaries: Canaries,
  responses: Answer[],
): Promise<void> {
  const { body: document } = await client.send('GET', '/openapi.json');
  const { access, name } = canaries;
  const calls = errorCalls(document, canaries);
  await runConcurrently(calls.length, 32, async (i) => {
    const { method = '', url = '', raw, headers = {} } = calls[i] ?? {};
    const server = servers[i % servers.length];
    const auth = i % 3 === 0 ? { token: `${access}x` } : {};
    const response = await client.send(method, url, {
      ...auth,
      ...(raw !== undefined && { raw }),
      headers,
      ...(server && { server }),
    });
    const text = JSON.stringify([response.headers, response.body]);
    responses.push({ to: `${method} ${url} ${response.status}`, text });
  });
  const oversized = { raw: JSON.stringify({ name, bio: 'x'.repeat(2 ** 20) }), token: access };
  const { status, body } = await client.send('PATCH', '/v1/me', oversized);
  responses.push({ to: `PATCH /v1/me ${status}`, text: JSON.stringify(body) });
}

/** Sends malformed requests that contain secrets. */
async function wire(
  { servers }: Environment,
  { access, browser, phone, code }: Canaries,
  responses: Answer[],
): Promise<void> {
  for (const server of servers) {
    for (const bytes of [
      `GET /v1/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access}\r\nno colon ${phone}\r\n\r\n`,
      `POST /v1/auth/otp/verify?phone=${phone} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n${code}`,
      `GET /${phone} HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}${access}\r\n\r\n`,
      `${access} ${phone} ${code}\r\n\r\n`,
      `GET /v1/auth/me HTTP/1.1\r\nHost: x\r\nCookie: ${cookieName}=${browser}\r\nno colon\r\n\r\n`,
    ]) {
      responses.push({
        to: bytes.slice(0, bytes.indexOf('\r\n')),
        text: (await sendRaw(server, bytes)).text,
      });
    }
  }
}

/** Sends requests that access the person's own rows. @returns their statuses */
async function sendOwnRequests(
  { client, servers }: Environment,
  canaries: Canaries,
  responses: Answer[],
): Promise<number[]> {
  const { phone, tried, access, refresh, browser, calendar, name } = canaries;
  const statuses: number[] = [];
  for (const server of servers) {
    for (const [method, url, body] of [
      ['POST', '/v1/auth/otp/request', { phone }],
      ['POST', '/v1/auth/otp/verify', { phone, code: tried }],
      ['POST', '/v1/auth/refresh', { refreshToken: refresh.slice(0, -1) }],
      ['GET', '/v1/auth/sessions', undefined],
      ['PATCH', '/v1/me', { name }],
      ['POST', '/v1/me/delete-code', undefined],
      ['DELETE', '/v1/me', { confirmCode: tried }],
      ['GET', `/v1/users/search?q=${encodeURIComponent(name)}`, undefined],
      ['GET', `/v1/calendars/${calendar}.ics`, undefined],
    ] as const) {
      const { status, body: response } = await client.send(method, url, { token: access, body, server });
      statuses.push(status);
      if (status >= 400) responses.push({ to: `${method} ${url} ${status}`, text: JSON.stringify(response) });
      const headers = { cookie: `${cookieName}=${browser}`, 'sec-fetch-site': 'same-origin' };
      const ofBrowser = await client.send(method, url, { headers, body, server });
      if (ofBrowser.status >= 400)
        responses.push({
          to: `${method} ${url} ${ofBrowser.status} with a cookie`,
          text: JSON.stringify(ofBrowser.body),
        });
    }
  }
  return statuses;
}

/** Adds constraints and renames columns, to provoke unexpected errors of PostgreSQL. */
async function breakage(environment: Environment, canaries: Canaries, responses: Answer[]): Promise<void> {
  const { sql } = environment;
  await sql`alter table users add constraint torture check (name = '') not valid`;
  await sql`alter table codes add constraint torture check (purpose = '') not valid`;
  await sql`alter table sessions rename column created_at to created_then`;
  await sql`alter table calendars rename column secret_hash to secret_then`;
  const statuses = await sendOwnRequests(environment, canaries, responses);
  if (!statuses.includes(500)) throw new Error(`no request failed with a 500: ${statuses.join(', ')}`);
  await sql`alter table users drop constraint torture`;
  await sql`alter table codes drop constraint torture`;
  await sql`alter table sessions rename column created_then to created_at`;
  await sql`alter table calendars rename column secret_then to secret_hash`;
}

/** Kills the database during the requests. */
async function outage(environment: Environment, canaries: Canaries, responses: Answer[]): Promise<void> {
  process.kill(await environment.postmaster(), 'SIGKILL');
  await sendOwnRequests(environment, canaries, responses);
  for (let waited = 0; waited < 20_000; waited += 200) {
    const { status } = await environment.client.send('GET', '/readyz').catch(() => ({ status: 0 }));
    // The crash also broke the connections of this program.
    const isConnected = await environment.sql`select 1`.then(
      () => true,
      () => false,
    );
    if (status === 200 && isConnected) break;
    await sleep(200);
  }
}

/** Metrics without their values: a number of bytes can be equal to a code. */
const withoutMeasurements = (text: string): string => text.replace(/ [\d.e+-]+\\n/g, '\\n');

async function verdict(
  environment: Environment,
  canaries: Canaries,
  responses: Answer[],
  codes: string[],
): Promise<{ result: string; ok: boolean }> {
  const log = await readFile(path.join(environment.dataDir, 'postgres', 'server.log'), 'utf8');
  const printed = environment.servers.map(({ output }) => output.out + output.err).join('\n');
  // The phones of this program differ only in the last digit.
  const known: Secrets = { ...canaries, phone: canaries.phone.slice(0, -1) };
  const sent = Object.fromEntries(codes.map((code, i) => [`code ${i + 1}`, code]));
  const logged: Secrets = { ...known, ...sent, 'SMS token': authToken };
  // Names and phones of people are stored in clear text.
  const { phone: _phone, name: _name, code: _code, ...unstored } = known;
  const rows = await readAllRows(environment);
  const leaks = [
    ...findLeaks("the servers' output", printed, logged),
    ...findLeaks("PostgreSQL's log", log, logged),
    ...responses.flatMap(({ to, text }) =>
      findLeaks(`the response to ${to}`, withoutMeasurements(text), known),
    ),
    ...findLeaks('the database', rows, unstored),
    ...[...codes, canaries.code].filter((code) => hasCode(rows, code)).map(() => 'a code in the database'),
  ];
  const list = [...new Set(leaks)].map((leak) => `\n    ${leak}`).join('');
  return {
    result: `${leaks.length} leaks in ${responses.length.toLocaleString('en')} error responses, ${printed.length.toLocaleString('en')} characters of logs and every table${list}`,
    // The result is only meaningful if the errors were logged.
    ok: leaks.length === 0 && /violates check/.test(printed) && /the SMS service refused/.test(printed),
  };
}

/**
 * Searches the code as text and as hexadecimal bytes, outside ids, hashes and times, which may contain it by
 * chance.
 */
function hasCode(rows: string, code: string): boolean {
  const plain = rows.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:\d\d\.\d+|\\\\x[0-9a-f]+/g, '');
  return plain.includes(code) || rows.includes(Buffer.from(code).toString('hex'));
}

/** All rows of all tables, as text. */
async function readAllRows({ sql }: Environment): Promise<string> {
  const tables = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public'`;
  const all: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`select t::text as row from ${raw(name)} t`;
    all.push(...rows.map(({ row }) => row));
  }
  return all.join('\n');
}
