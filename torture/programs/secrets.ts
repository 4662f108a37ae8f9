import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '../../src/db/sql.ts';
import { each } from '../client.ts';
import type { Environment } from '../environment.ts';
import { readOperations } from '../fuzz/steps.ts';
import type { Program } from '../program.ts';
import { sendRaw } from '../raw-connection.ts';

/** What must not be found, by what it is. */
type Canaries = {
  phone: string;
  name: string;
  code: string;
  access: string;
  refresh: string;
  /** In the address of their own calendar. */
  calendar: string;
  tried: string;
  key: string;
};
type Leak = { what: string; where: string };

const key = 'canary-key-of-the-secrets-torture-0123456789';
const authToken = 'canary0twilio0auth0token00000000';

export const secrets: Program = {
  name: 'secrets',
  promise:
    'Canary phones, codes, tokens and names through every error path: 0 in logs, in answers to others or in clear in the database',
  async run({ open, progress }) {
    const sms = await openStub();
    const env = {
      SECRET_KEY: key,
      LOG_LEVEL: 'trace',
      SMS_DRIVER: 'twilio',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    };
    const twilio = { TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: '+12025550000', TWILIO_BASE_URL: sms.url };
    try {
      const environment = await open({ env: { ...env, ...twilio, RATE_LIMIT: '100000' } });
      // One more as an operator runs it: with JSON for a log.
      await environment.start({
        NODE_ENV: 'production',
        PUBLIC_URL: 'http://127.0.0.1',
        RATE_LIMIT: '100000',
      });
      const canaries = await signIn(environment, sms);
      const answers: string[] = [];
      for (const [what, pass] of Object.entries({ messages, errors, wire, breakage, outage })) {
        progress(what);
        await pass(environment, canaries, answers);
      }
      return await verdict(environment, canaries, answers, [...sms.codes.values()]);
    } finally {
      sms.close();
    }
  },
};

type Stub = { url: string; codes: Map<string, string>; close(): void };

/** Stands in for Twilio and keeps the codes; it refuses every other message, so that errors are logged too. */
async function openStub(): Promise<Stub> {
  const codes = new Map<string, string>();
  let taken = 0;
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const form = new URLSearchParams(sent);
      codes.set(form.get('To') ?? '', form.get('Body')?.slice(0, 6) ?? '');
      const isRefused = taken++ > 0;
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

async function signIn({ client }: Environment, sms: Stub): Promise<Canaries> {
  const phone = '+14155557391';
  await client.ask('POST', '/v1/auth/otp/request', { body: { phone } });
  const code = sms.codes.get(phone) ?? '';
  const { body } = await client.ask('POST', '/v1/auth/otp/verify', { body: { phone, code } });
  if (!body.accessToken) throw new Error(`nobody could sign in: ${JSON.stringify(body)}`);
  const name = 'Kanarievogel Quetzalcoatl';
  await client.ask('PATCH', '/v1/me', { token: body.accessToken, body: { name, isPrivate: true } });
  const made = await client.ask('POST', '/v1/me/calendar', { token: body.accessToken });
  const calendar = /pc_[\w-]+/.exec(made.body.url)?.[0];
  if (!calendar) throw new Error(`no calendar was made: ${JSON.stringify(made.body)}`);
  const { accessToken: access, refreshToken: refresh } = body;
  return { phone, name, code, access, refresh, calendar, tried: '918273', key };
}

/** The SMS service refuses these, and says the phone and the text in its refusal. */
async function messages(
  { client, servers }: Environment,
  canaries: Canaries,
  answers: string[],
): Promise<void> {
  for (const [i, server] of servers.entries()) {
    const other = { phone: `${canaries.phone.slice(0, -1)}${i + 2}` };
    const { status, body } = await client.ask('POST', '/v1/auth/otp/request', { body: other, server });
    if (status !== 503) throw new Error(`a message was sent: ${status}`);
    answers.push(JSON.stringify(body));
  }
}

type Paths = Parameters<typeof readOperations>[0];

function errorCalls(document: { paths: Paths }, canaries: Canaries) {
  const { phone, code, refresh, access, calendar, tried, name } = canaries;
  const all = [phone, tried, code, refresh, access, calendar, name].map(encodeURIComponent);
  const body = { phone, code: tried, refreshToken: refresh, confirmCode: tried, name, surprise: access };
  const fitting = [
    { phone, code: tried },
    { phone },
    { confirmCode: tried },
    { refreshToken: `${refresh}x` },
  ];
  const raws = [
    JSON.stringify(body),
    JSON.stringify(body).slice(0, -1),
    `phone=${phone}&code=${code}`,
    JSON.stringify([body]),
  ];
  return readOperations(document.paths).flatMap(({ method, path, query }) =>
    all.flatMap((secret) => {
      // In every parameter that the operation takes, and in one that it refuses.
      const search = [...query.map(({ name }) => name), 'token'].map((name) => `${name}=${secret}`).join('&');
      const place = `${path.replace(/\{\w+\}/, secret)}?${search}`;
      const bodies =
        method === 'GET' ? [undefined] : [...raws, ...fitting.map((each) => JSON.stringify(each))];
      return bodies.flatMap((raw) => [
        { method, place, raw, headers: {} },
        { method, place: path.replace(/\{\w+\}/, secret), raw, headers: { 'content-type': 'text/plain' } },
        { method: 'PUT', place, raw, headers: {} },
        {
          method,
          place: `/nowhere/${secret}${place}`,
          raw,
          headers: { 'x-code': code, cookie: `token=${access}` },
        },
      ]);
    }),
  );
}

/** Every secret in every place of every operation where a text can stand. */
async function errors(
  { client, servers }: Environment,
  canaries: Canaries,
  answers: string[],
): Promise<void> {
  const { body: document } = await client.ask('GET', '/openapi.json');
  const { access, name } = canaries;
  const calls = errorCalls(document, canaries);
  await each(calls.length, 32, async (i) => {
    const { method = '', place = '', raw, headers = {} } = calls[i] ?? {};
    const server = servers[i % servers.length];
    const signed = i % 3 === 0 ? { token: `${access}x` } : {};
    const answer = await client.ask(method, place, {
      ...signed,
      ...(raw !== undefined && { raw }),
      headers,
      ...(server && { server }),
    });
    answers.push(JSON.stringify([answer.headers, answer.body]));
  });
  const big = { raw: JSON.stringify({ name, bio: 'x'.repeat(2 ** 20) }), token: access };
  answers.push(JSON.stringify((await client.ask('PATCH', '/v1/me', big)).body));
}

/** Bytes that are no request, with secrets in them. */
async function wire(
  { servers }: Environment,
  { access, phone, code }: Canaries,
  answers: string[],
): Promise<void> {
  for (const server of servers) {
    for (const bytes of [
      `GET /v1/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access}\r\nno colon ${phone}\r\n\r\n`,
      `POST /v1/auth/otp/verify?phone=${phone} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n${code}`,
      `GET /${phone} HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}${access}\r\n\r\n`,
      `${access} ${phone} ${code}\r\n\r\n`,
    ]) {
      answers.push((await sendRaw(server, bytes)).text);
    }
  }
}

/** What asks for the person's own rows, in each way that there is. */
async function ownCalls(
  { client, servers }: Environment,
  canaries: Canaries,
  answers: string[],
): Promise<number[]> {
  const { phone, tried, access, refresh, calendar, name } = canaries;
  const statuses: number[] = [];
  for (const server of servers) {
    for (const [method, place, body] of [
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
      const { status, body: answer } = await client.ask(method, place, { token: access, body, server });
      statuses.push(status);
      if (status >= 400) answers.push(JSON.stringify(answer));
    }
  }
  return statuses;
}

/** Tables that refuse what they are given or are not there: unexpected errors, of PostgreSQL's own wording. */
async function breakage(environment: Environment, canaries: Canaries, answers: string[]): Promise<void> {
  const { sql } = environment;
  await sql`alter table users add constraint torture check (name = '') not valid`;
  await sql`alter table codes add constraint torture check (purpose = '') not valid`;
  await sql`alter table sessions rename column created_at to created_then`;
  await sql`alter table calendars rename column secret_hash to secret_then`;
  const statuses = await ownCalls(environment, canaries, answers);
  if (!statuses.includes(500)) throw new Error(`nothing broke: ${statuses.join(', ')}`);
  await sql`alter table users drop constraint torture`;
  await sql`alter table codes drop constraint torture`;
  await sql`alter table sessions rename column created_then to created_at`;
  await sql`alter table calendars rename column secret_then to secret_hash`;
}

/** The database dies under the requests. */
async function outage(environment: Environment, canaries: Canaries, answers: string[]): Promise<void> {
  process.kill(await environment.postmaster(), 'SIGKILL');
  await ownCalls(environment, canaries, answers);
  for (let waited = 0; waited < 20_000; waited += 200) {
    if ((await environment.client.ask('GET', '/readyz').catch(() => ({ status: 0 }))).status === 200) break;
    await sleep(200);
  }
}

async function verdict(
  environment: Environment,
  canaries: Canaries,
  answers: string[],
  codes: string[],
): Promise<{ figure: string; ok: boolean }> {
  const log = await readFile(path.join(environment.dataDir, 'postgres', 'server.log'), 'utf8');
  const printed = environment.servers.map(({ output }) => output.out + output.err).join('\n');
  const leaks: Leak[] = [];
  const search = (where: string, haystack: string, names: (keyof Canaries)[]) => {
    for (const what of names) {
      // Without its last digit the phone is that of everybody here.
      const value = what === 'phone' ? canaries.phone.slice(0, -1) : canaries[what];
      if (
        [value, value.replace('+', ''), encodeURIComponent(value), Buffer.from(value).toString('hex')].some(
          (form) => haystack.includes(form),
        )
      )
        leaks.push({ what, where });
    }
  };
  const everything: (keyof Canaries)[] = [
    'phone',
    'name',
    'code',
    'access',
    'refresh',
    'calendar',
    'tried',
    'key',
  ];
  search("the servers' output", printed, everything);
  search("PostgreSQL's log", log, everything);
  for (const code of codes)
    if (`${printed}${log}`.includes(code)) leaks.push({ what: 'a code', where: 'a log' });
  if (printed.includes(authToken)) leaks.push({ what: 'the SMS token', where: "the servers' output" });
  for (const answer of answers) search(`an answer: ${answer.slice(0, 200)}`, answer, everything);
  const rows = await inClear(environment);
  search('the database', rows, ['access', 'refresh', 'calendar', 'tried', 'key']);
  for (const code of [...codes, canaries.code])
    if (hasCode(rows, code)) leaks.push({ what: 'a code', where: 'the database' });
  const list = [...new Set(leaks.map(({ what, where }) => `\n    ${what} in ${where}`))].slice(0, 8).join('');
  return {
    figure: `${leaks.length} found in ${answers.length.toLocaleString('en')} refusals, ${printed.length.toLocaleString('en')} characters of logs and every table${list}`,
    // Nothing proves anything unless the errors were logged.
    ok: leaks.length === 0 && /violates check/.test(printed) && /Twilio did not take/.test(printed),
  };
}

/** As text or as its bytes; digits within ids, hashes and moments may be a code's by chance, so those are left out. */
function hasCode(rows: string, code: string): boolean {
  const plain = rows.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:\d\d\.\d+|\\\\x[0-9a-f]+/g, '');
  return plain.includes(code) || rows.includes(Buffer.from(code).toString('hex'));
}

/** All rows of all tables. */
async function inClear({ sql }: Environment): Promise<string> {
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
