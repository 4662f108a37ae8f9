import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { phoneOf, requestCode, wrongCode } from '../phones.ts';
import type { Program } from '../program.ts';

const concurrency = 50;
const maxAttempts = 5;
/** Of a number, over all networks and devices, in 24 hours. */
const maxPerNumber = 100;
const networks = 100;

export const otpGuess: Program = {
  name: 'otp-guess',
  expectation:
    '50 wrong codes at once: at most 5 are compared; 50 correct codes at once: exactly one session; wrong codes from ' +
    '100 networks, a known network and a known device at once: at most 100 are compared',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const times = size(100, 4);
    const environment = await startEnvironment({ env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });
    const compared: number[] = [];
    const comparedOfAll: number[] = [];
    const sessions: number[] = [];
    let accepted = 0;
    for (let i = 0; i < times; i++) {
      progress(`${i} of ${times}`);
      compared.push(await guess(environment, phoneOf(i)));
      sessions.push(await signInConcurrently(environment, phoneOf(1_000_000 + i)));
      if (i % 10 === 0) comparedOfAll.push(await guessEverywhere(environment, phoneOf(2_000_000 + i)));
      if (await isCorrectCodeAccepted(environment, phoneOf(i))) accepted++;
    }
    const maxCompared = Math.max(...compared);
    const maxComparedOfAll = Math.max(...comparedOfAll);
    const isOneSession = sessions.every((number) => number === 1);
    return {
      result:
        `${times} times ${concurrency} wrong codes: ${Math.min(...compared)} to ${maxCompared} compared, ` +
        `the correct code then accepted ${accepted} times; ` +
        `${times} times ${concurrency} correct codes: ${[...new Set(sessions)].join(', ')} session each; ` +
        `${comparedOfAll.length} times from ${networks} networks: ${Math.min(...comparedOfAll)} to ${maxComparedOfAll} compared`,
      ok: maxCompared <= maxAttempts && accepted === 0 && isOneSession && maxComparedOfAll <= maxPerNumber,
    };
  },
};

/** Sends different wrong codes to both servers. @returns the number of codes that were compared */
async function guess(environment: Environment, phone: string): Promise<number> {
  const code = await requestCode(environment, phone);
  const responses = await runConcurrently(concurrency, concurrency, (i) =>
    verify(environment, phone, wrongCode(code, i)),
  );
  const tally = countValues(responses.map(({ body }) => body.code));
  const wrong = tally.wrong_code ?? 0;
  // With an unexpected response, all requests count as compared.
  return concurrency - (tally.too_many_tries ?? 0) === wrong ? wrong : concurrency;
}

/**
 * Signs in, and then sends wrong codes from many networks, from the network of the sign-in and from its device.
 * @returns the number of codes that were compared
 */
async function guessEverywhere(environment: Environment, phone: string): Promise<number> {
  const from = (n: number) => ({ 'x-forwarded-for': `10.9.${n >> 8}.${n & 255}` });
  const first = await verify(environment, phone, await requestCode(environment, phone));
  const { deviceToken } = first.body;
  const code = await requestCode(environment, phone);
  const responses = await runConcurrently(networks * 7, concurrency, (i) => {
    const wrong = wrongCode(code, i);
    if (i % 7 === 0) return verify(environment, phone, wrong);
    if (i % 7 === 1) return verify(environment, phone, wrong, { body: { deviceToken } });
    return verify(environment, phone, wrong, { headers: from(i % networks) });
  });
  const tally = countValues(responses.map(({ body }) => body.code));
  const wrong = tally.wrong_code ?? 0;
  return responses.length - (tally.too_many_tries ?? 0) === wrong ? wrong : responses.length;
}

/** Sends correct codes after the five wrong ones; a newly requested code must not allow new attempts. */
async function isCorrectCodeAccepted(environment: Environment, phone: string): Promise<boolean> {
  const newCodes = [await requestCode(environment, phone), await requestCode(environment, phone)];
  const responses = await Promise.all(newCodes.map((code) => verify(environment, phone, code)));
  return responses.some(({ status }) => status !== 429);
}

/** @returns the number of new sessions, or 0 if the responses and the database disagree */
async function signInConcurrently(environment: Environment, phone: string): Promise<number> {
  const code = await requestCode(environment, phone);
  const responses = await runConcurrently(concurrency, concurrency, () => verify(environment, phone, code));
  const [row] = await environment.sql<[{ sessions: number; people: number }]>`
    select count(s.id)::int as sessions, count(distinct u.id)::int as people
    from users u left join sessions s on s.user_id = u.id where u.phone = ${phone}`;
  const succeeded = responses.filter(({ status }) => status === 200).length;
  const isExpected = responses.every(({ status }) => [200, 400, 429].includes(status));
  return succeeded === row.sessions && row.people === 1 && isExpected ? succeeded : 0;
}

type Extra = { body?: object; headers?: Record<string, string> };

/** Numbers have clients of their own, because a client network has a limit of wrong codes for all numbers. */
const homeOf = (phone: string) => ({
  'x-forwarded-for': `10.8.${Number(phone.slice(-4, -2))}.${Number(phone.slice(-2))}`,
});

const verify = (
  { client }: Environment,
  phone: string,
  code: string,
  { body, headers = homeOf(phone) }: Extra = {},
) => client.send('POST', '/v1/auth/otp/verify', { body: { phone, code, ...body }, headers });
