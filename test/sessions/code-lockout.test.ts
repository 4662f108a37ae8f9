/** Strangers who know a number cannot keep its owner from signing in, neither by tries nor by texts (decision 4). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredCodes } from '../../src/modules/accounts/codes/repo.ts';
import type { SmsDriver } from '../../src/modules/accounts/sms/driver.ts';
import { slowTest } from '../support/all-cases.ts';
import { fromPage } from '../support/factories.ts';
import { runConcurrently } from '../support/run-concurrently.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const texts: { phone: string; code: string }[] = [];
const sms: SmsDriver = {
  delivers: true,
  send: async (phone, _purpose, code) => void texts.push({ phone, code }),
  tellOfChange: async () => {},
  sendNotice: async () => {},
  sendTest: async () => {},
};
const clock = new TestClock();
const env = { TRUST_PROXY: 'loopback', RATE_LIMIT: '0', SMS_PER_DAY: '2000' };
const api = await startTestApp({ sms, clock, env });
const other = await api.startAnother({ sms });
const [minute, day] = [60_000, 86_400_000];
const strangers = Array.from({ length: 20 }, (_, i) => `198.51.100.${i + 1}`);
const [home, mobile, cafe] = ['203.0.113.7', '2001:db8:7:7::7', '192.0.2.9'];

let numbers = 0;
const newNumber = () => `+4670${String(numbers++ * 10_000).padStart(7, '0')}`;
const startNextDay = () => clock.advance(day - (clock.now().getTime() % day) + minute);
const codesOf = (phone: string) => texts.filter((text) => text.phone === phone).map(({ code }) => code);
const wrongCode = (phone: string) => {
  const codes = codesOf(phone);
  return ['000000', '000001', '000002'].concat(codes).find((code) => !codes.includes(code)) ?? '';
};

type Extra = { deviceToken?: string; token?: string; headers?: Record<string, string>; on?: typeof api };
const call = (path: string, from: string, body: object, { deviceToken, headers, token, on = api }: Extra) =>
  on.call('POST', path, {
    ...(token !== undefined && { token }),
    body: { ...body, ...(deviceToken !== undefined && { deviceToken }) },
    headers: { 'x-forwarded-for': from, ...headers },
  });
const request = (phone: string, from: string, extra: Extra = {}) =>
  call('/v1/auth/otp/request', from, { phone }, extra);
const verify = (phone: string, from: string, code: string | undefined, extra: Extra = {}) =>
  call('/v1/auth/otp/verify', from, { phone, code }, extra);
const newestCode = (phone: string) => codesOf(phone).at(-1);

/** Signs in with a new text. */
async function signIn(phone: string, from: string, extra: Extra = {}) {
  expectStatus(await request(phone, from, extra), 202);
  return expectStatus(await verify(phone, from, newestCode(phone), extra), 200).body;
}

/** Every stranger tries wrong codes until the server refuses. @returns how many were compared */
async function useUpTries(phone: string, tries = 6): Promise<number> {
  const isCompared = async (from: string) =>
    expectOneOf(await verify(phone, from, wrongCode(phone)), 'wrong_code', 'too_many_tries') === 'wrong_code';
  let compared = 0;
  for (let i = 0; i < tries; i++) for (const from of strangers) if (await isCompared(from)) compared++;
  return compared;
}

/** Every stranger requests a code each minute, until no text was sent for a while. @returns the texts sent */
async function useUpTexts(phone: string): Promise<number> {
  let sent = 0;
  for (let turn = 0, last = 0; turn - last < 2; turn++) {
    for (const from of strangers) {
      if ((await request(phone, from)).status !== 202) continue;
      sent++;
      last = turn;
    }
    clock.advance(minute);
  }
  return sent;
}

function expectOneOf({ body }: ApiResponse, ...codes: string[]): string {
  assert.ok(codes.includes(body.code), JSON.stringify(body));
  return body.code;
}

test('tries: 20 networks use up their tries; the owner signs in on a known device, in a known network and in a new one', async () => {
  startNextDay();
  const phone = newNumber();
  const { deviceToken } = await signIn(phone, home);
  clock.advance(minute);
  expectStatus(await request(phone, strangers[0] ?? ''), 202);
  assert.equal(await useUpTries(phone), 60);
  for (const from of strangers)
    expectProblem(await verify(phone, from, newestCode(phone)), 429, 'too_many_tries');
  clock.advance(minute);
  await signIn(phone, mobile, { deviceToken });
  await signIn(phone, home);
  clock.advance(minute);
  await signIn(phone, cafe);
});

test('tries: a device that is known to the network of a stranger who uses up its tries signs in', async () => {
  startNextDay();
  const phone = newNumber();
  const { deviceToken } = await signIn(phone, cafe);
  for (let i = 0; i < 6; i++) await verify(phone, cafe, wrongCode(phone));
  expectProblem(await verify(phone, cafe, wrongCode(phone)), 429, 'too_many_tries');
  await signIn(phone, cafe, { deviceToken });
});

slowTest(
  'tries: 429 with Retry-After above 100 wrong codes in 24 hours, over all networks and devices',
  async () => {
    startNextDay();
    const phone = newNumber();
    const { deviceToken } = await signIn(phone, home);
    const from = [...strangers, ...Array.from({ length: 30 }, (_, i) => `198.51.101.${i + 1}`)];
    let compared = 0;
    for (let i = 0; i < 8; i++) {
      const responses = await Promise.all([
        ...from.map((network, n) => verify(phone, network, wrongCode(phone), { on: n % 2 ? api : other })),
        ...[home, mobile].flatMap((network) => [
          verify(phone, network, wrongCode(phone), { on: other }),
          verify(phone, network, wrongCode(phone), { deviceToken }),
        ]),
      ]);
      compared += responses.filter(({ body }) => body.code === 'wrong_code').length;
      clock.advance(15 * minute);
    }
    assert.equal(compared, 100);
    const { headers } = expectProblem(await verify(phone, mobile, newestCode(phone)), 429, 'too_many_tries');
    assert.ok(Number(headers.get('retry-after')) > 3_600);
    clock.advance(day);
    expectStatus(await request(phone, cafe), 202);
    expectStatus(await verify(phone, cafe, newestCode(phone)), 200);
  },
);

slowTest(
  'tries: 60 networks of one /48 have the tries of one; the owner signs in elsewhere, and in a known network inside it',
  async () => {
    startNextDay();
    const phone = newNumber();
    await signIn(phone, mobile);
    clock.advance(minute);
    expectStatus(await request(phone, home), 202);
    const customer = Array.from({ length: 60 }, (_, i) => `2001:db8:7:${(i + 8).toString(16)}00::1`);
    let compared = 0;
    for (let i = 0; i < 8; i++) {
      const responses = await Promise.all(
        customer.map((from, n) => verify(phone, from, wrongCode(phone), { on: n % 2 ? api : other })),
      );
      compared += responses.filter(({ body }) => body.code === 'wrong_code').length;
      clock.advance(15 * minute);
    }
    // Five in each quarter of an hour, until the tries that are for all are used up.
    assert.equal(compared, 25);
    await signIn(phone, cafe);
    clock.advance(minute);
    await signIn(phone, mobile);
  },
);

test('tries: of 200 wrong codes, 40 at a time from 40 networks on two servers, 85 are compared', async () => {
  startNextDay();
  const phone = newNumber();
  expectStatus(await request(phone, home), 202);
  let compared = 0;
  for (let turn = 0; turn < 5; turn++) {
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        verify(phone, `198.51.102.${i}`, wrongCode(phone), { on: i % 2 ? api : other }),
      ),
    );
    compared += responses.filter(
      (response) => expectOneOf(response, 'wrong_code', 'too_many_tries') === 'wrong_code',
    ).length;
  }
  assert.equal(compared, 85);
});

test('sending: 20 networks use up the texts; a new user signs in with the newest text, the owner of a number with a new one', async () => {
  startNextDay();
  const phone = newNumber();
  assert.equal(await useUpTexts(phone), 10);
  expectProblem(await request(phone, cafe), 429, 'too_many_codes');
  clock.advance(6 * 60 * minute);
  const { deviceToken } = expectStatus(await verify(phone, cafe, newestCode(phone)), 200).body;
  // A code that was used makes room for one more text, which helps the owner wherever they are.
  assert.equal(await useUpTexts(phone), 1);
  expectStatus(await verify(phone, mobile, newestCode(phone)), 200);
  for (const extra of [{}, { deviceToken }]) {
    clock.advance(minute);
    await signIn(phone, cafe, extra);
  }
});

test('sending: at most 15 texts a day to a number, over all networks and devices; the 15th code is valid all day', async () => {
  startNextDay();
  const phone = newNumber();
  const { deviceToken } = await signIn(phone, home);
  for (let i = 0; i < 20; i++) {
    for (const [from, extra] of [
      [strangers[i] ?? '', {}],
      [home, {}],
      [mobile, { deviceToken }],
    ] as const)
      await request(phone, from, { ...extra, on: i % 2 ? api : other });
    clock.advance(minute);
  }
  assert.equal(codesOf(phone).length, 15);
  clock.advance(60 * minute);
  expectStatus(await verify(phone, mobile, newestCode(phone)), 200);
});

slowTest(
  'sending: of 60 concurrent requests from 20 networks on two servers, one text is sent; 10 in a day',
  async () => {
    startNextDay();
    const phone = newNumber();
    for (let turn = 1; turn <= 12; turn++) {
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          request(phone, strangers[i % 20] ?? '', { on: i % 2 ? api : other }),
        ),
      );
      assert.equal(codesOf(phone).length, Math.min(turn, 10));
      clock.advance(minute);
    }
  },
);

test("code: a stranger's request replaces neither the code of another network nor that of a known device", async () => {
  startNextDay();
  const phone = newNumber();
  const { deviceToken } = await signIn(phone, home);
  for (const [from, extra] of [
    [cafe, {}],
    [home, {}],
    [mobile, { deviceToken }],
  ] as const) {
    clock.advance(minute);
    expectStatus(await request(phone, from, extra), 202);
    const code = newestCode(phone);
    clock.advance(minute);
    expectStatus(await request(phone, strangers[1] ?? ''), 202);
    expectStatus(await verify(phone, from, code, extra), 200);
  }
});

test('code: 200 in another network than that of the request', async () => {
  startNextDay();
  const phone = newNumber();
  expectStatus(await request(phone, home), 202);
  expectStatus(await verify(phone, mobile, newestCode(phone)), 200);
});

test('code: 400 for the code of another network that is not the newest', async () => {
  startNextDay();
  const phone = newNumber();
  expectStatus(await request(phone, home), 202);
  clock.advance(minute);
  expectStatus(await request(phone, cafe), 202);
  const [older, newer] = codesOf(phone);
  if (older !== newer) expectProblem(await verify(phone, mobile, older), 400, 'wrong_code');
  expectStatus(await verify(phone, mobile, newer), 200);
});

slowTest('deletion: 200 after 20 networks have used up tries and texts for sign-in', async () => {
  startNextDay();
  const phone = newNumber();
  const { accessToken: token } = await signIn(phone, home);
  clock.advance(minute);
  await useUpTexts(phone);
  await useUpTries(phone, 2);
  expectStatus(await call('/v1/me/delete-code', cafe, {}, { token }), 202);
  const response = await api.delete('/v1/me', token, { confirmCode: newestCode(phone) });
  expectStatus(response, 200);
});

slowTest(
  'sending: strangers who use up the texts to a block of numbers leave two to each other network',
  async () => {
    startNextDay();
    const block = `+467099${numbers}`;
    const at = (n: number) => block.padEnd(8, '0') + String(n).padStart(4, '0');
    const responses = await runConcurrently(400, 40, (i) =>
      request(at(i), strangers[i % 20] ?? '', { on: i % 2 ? api : other }),
    );
    const sent = responses.filter(({ status }) => status === 202).length;
    assert.ok(sent >= 100 && sent <= 140, `${sent}`);
    const fromCafe = [];
    for (let i = 0; i < 3; i++) fromCafe.push((await request(at(1_000 + i), cafe)).status);
    assert.deepEqual(fromCafe, [202, 202, 429]);
  },
);

test('device token: a token that is forged, of another number or 400 days old has no effect', async () => {
  startNextDay();
  const [phone, another] = [newNumber(), newNumber()];
  const { deviceToken } = await signIn(phone, home);
  const { deviceToken: ofAnother } = await signIn(another, cafe);
  const last = deviceToken.at(-1) === 'A' ? 'B' : 'A';
  for (let i = 0; i < 5; i++) await verify(phone, mobile, wrongCode(phone));
  for (const invalid of ['', 'pd_', 'x', deviceToken.slice(0, -1) + last, ofAnother])
    expectProblem(
      await verify(phone, mobile, wrongCode(phone), { deviceToken: invalid }),
      429,
      'too_many_tries',
    );
  expectProblem(await verify(phone, mobile, wrongCode(phone), { deviceToken }), 400, 'wrong_code');
  clock.advance(400 * day);
  expectStatus(await request(phone, mobile), 202);
  for (let i = 0; i < 5; i++) await verify(phone, mobile, wrongCode(phone));
  expectProblem(await verify(phone, mobile, wrongCode(phone), { deviceToken }), 429, 'too_many_tries');
});

test('device cookie: a browser that has signed in is known, with the cookie of its former session or without', async () => {
  startNextDay();
  const phone = newNumber();
  expectStatus(await request(phone, home), 202);
  const body = { phone, code: newestCode(phone) };
  const { headers } = expectStatus(
    await call('/v1/auth/browser-session', home, body, { headers: fromPage }),
    200,
  );
  const cookie = headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  for (let i = 0; i < 5; i++) await verify(phone, cafe, wrongCode(phone));
  expectProblem(await verify(phone, cafe, wrongCode(phone)), 429, 'too_many_tries');
  for (const sent of [cookie.join('; '), cookie[1] ?? '']) {
    clock.advance(minute);
    await signIn(phone, cafe, { headers: { cookie: sent } });
  }
});

test('network: ten networks of a number are known; the eleventh replaces the oldest', async () => {
  startNextDay();
  const phone = newNumber();
  for (let i = 0; i < 11; i++) {
    await signIn(phone, `203.0.113.${100 + i}`);
    clock.advance(i % 5 === 4 ? day : minute);
  }
  const [row] = await api.sql`
    select max(n)::int as n from (select count(*) as n from known_networks group by contact_hash) c`;
  assert.equal(row?.n, 10);
});

test('tries: eight wrong codes get the same answers for a contact that has signed in today, that has an account, and for an unknown one', async () => {
  startNextDay();
  const [today, before, unknown] = [newNumber(), newNumber(), newNumber()];
  for (const phone of [before, today]) {
    await signIn(phone, home);
    clock.advance(phone === before ? 2 * day : minute);
  }
  await deleteExpiredCodes(api.sql, clock.now());
  const answersOf = async (phone: string) => {
    const answers = [];
    for (let i = 0; i < 8; i++) {
      const { status, headers, body } = await verify(phone, cafe, '123456', { on: i % 2 ? api : other });
      const { requestId: _, ...problem } = body;
      answers.push({ status, problem, retries: headers.has('retry-after') });
    }
    return answers;
  };
  const expected = await answersOf(unknown);
  assert.deepEqual(
    expected.map(({ status }) => status),
    [400, 400, 400, 400, 400, 429, 429, 429],
  );
  assert.deepEqual(await answersOf(today), expected);
  assert.deepEqual(await answersOf(before), expected);
});

test('tries: 429 above 200 wrong codes of a network in a day, for all contacts on two servers; 200 on a known device and in a known network', async () => {
  startNextDay();
  const phone = newNumber();
  const { deviceToken } = await signIn(phone, home);
  const [network, known] = ['2001:db8:9:9::', newNumber()];
  await signIn(known, `${network}7`);
  const numbers = Array.from({ length: 60 }, newNumber);
  let compared = 0;
  for (let i = 0; i < 4; i++) {
    const responses = await Promise.all(
      numbers.map((each, n) => verify(each, `${network}${n}`, '123456', { on: n % 2 ? api : other })),
    );
    compared += responses.filter(
      (response) => expectOneOf(response, 'wrong_code', 'too_many_tries') === 'wrong_code',
    ).length;
  }
  assert.equal(compared, 200);
  clock.advance(minute);
  expectStatus(await request(phone, cafe), 202);
  const { headers } = expectProblem(
    await verify(phone, `${network}1`, newestCode(phone)),
    429,
    'too_many_tries',
  );
  assert.ok(Number(headers.get('retry-after')) > 3_600);
  expectStatus(await verify(phone, `${network}1`, newestCode(phone), { deviceToken }), 200);
  await signIn(known, `${network}7`);
});

test('tries: correct codes do not count as failures of a network', async () => {
  startNextDay();
  const failures = () => api.sql<{ sent: number }[]>`
    select coalesce(sum(sent), 0)::int as sent from code_sends where scope like 'code:%'`;
  const [before] = await failures();
  const phone = newNumber();
  await verify(phone, cafe, wrongCode(phone));
  await signIn(phone, cafe);
  const [after] = await failures();
  assert.equal((after?.sent ?? 0) - (before?.sent ?? 0), 1);
});
