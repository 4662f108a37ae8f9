import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { askForCode, notThe, phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';

const atOnce = 50;
const mostTries = 5;

export const otpGuess: Program = {
  name: 'otp-guess',
  promise: '50 wrong codes at once: at most 5 are compared; 50 right ones at once: exactly one session',
  quick: true,
  async run({ size, open, progress }) {
    const times = size(100, 4);
    const environment = await open();
    const compared: number[] = [];
    const sessions: number[] = [];
    let passed = 0;
    for (let i = 0; i < times; i++) {
      progress(`${i} of ${times}`);
      compared.push(await guess(environment, phoneOf(i)));
      sessions.push(await signInAtOnce(environment, phoneOf(1_000_000 + i)));
      if (await getsPast(environment, phoneOf(i))) passed++;
    }
    const most = Math.max(...compared);
    const isOne = sessions.every((number) => number === 1);
    return {
      figure:
        `${times} times ${atOnce} wrong: ${Math.min(...compared)} to ${most} compared, ` +
        `then the right one got past ${passed} times; ` +
        `${times} times ${atOnce} right: ${[...new Set(sessions)].join(', ')} session each`,
      ok: most <= mostTries && passed === 0 && isOne,
    };
  },
};

/** Different wrong codes over both servers. @returns how many were held against the code */
async function guess(environment: Environment, phone: string): Promise<number> {
  const code = await askForCode(environment, phone);
  const answers = await each(atOnce, atOnce, (i) => verify(environment, phone, notThe(code, i)));
  const tally = count(answers.map(({ body }) => body.code));
  const told = tally.wrong_code ?? 0;
  // What is neither was not expected, and counts as a comparison.
  return atOnce - (tally.too_many_tries ?? 0) === told ? told : atOnce;
}

/** After the five: with the right code of now, and of codes asked for anew, which must not buy new tries. */
async function getsPast(environment: Environment, phone: string): Promise<boolean> {
  const fresh = [await askForCode(environment, phone), await askForCode(environment, phone)];
  const answers = await Promise.all(fresh.map((code) => verify(environment, phone, code)));
  return answers.some(({ status }) => status !== 429);
}

/** @returns the sessions that came of it, or none where the answers and the database do not agree */
async function signInAtOnce(environment: Environment, phone: string): Promise<number> {
  const code = await askForCode(environment, phone);
  const answers = await each(atOnce, atOnce, () => verify(environment, phone, code));
  const [row] = await environment.sql<[{ sessions: number; people: number }]>`
    select count(s.id)::int as sessions, count(distinct u.id)::int as people
    from users u left join sessions s on s.user_id = u.id where u.phone = ${phone}`;
  const given = answers.filter(({ status }) => status === 200).length;
  const isRefused = answers.every(({ status }) => [200, 400, 429].includes(status));
  return given === row.sessions && row.people === 1 && isRefused ? given : 0;
}

const verify = ({ client }: Environment, phone: string, code: string) =>
  client.ask('POST', '/v1/auth/otp/verify', { body: { phone, code } });
