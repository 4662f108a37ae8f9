import { each } from '../client.ts';
import type { Environment } from '../environment.ts';
import { phoneOf, type SignedIn, signIn } from '../phones.ts';
import type { Program } from '../program.ts';

const atOnce = 20;
/** As long as the successor is given again to whoever never heard of it. */
const graceMs = 10_000;

type Pair = { accessToken: string; refreshToken: string };

export const refreshRace: Program = {
  name: 'refresh-race',
  promise: '20 refreshes of one token at once, 500 times: one successor; late reuse: the session is dead',
  quick: true,
  async run({ size, open, progress }) {
    const [times, patient] = [size(500, 10), size(50, 0)];
    const environment = await open();
    let forked = 0;
    let survived = 0;
    let done = 0;
    await each(times, 4, async (i) => {
      const person = await signIn(environment, phoneOf(i));
      const pairs = await race(environment, person.refreshToken, atOnce);
      if (new Set(pairs.map(({ refreshToken }) => refreshToken)).size !== 1 || pairs.length < atOnce)
        forked++;
      const [pair] = pairs;
      if (!pair || !(await diesOfReuse(environment, person, pair))) survived++;
      progress(`${++done} of ${times}`);
    });
    survived += await countSurvivorsOfWaiting(environment, patient);
    return {
      figure:
        `${times} times ${atOnce} at once: ${forked} with more or fewer than one successor; ` +
        `${survived} of ${times + patient} sessions survived late reuse`,
      ok: forked + survived === 0,
    };
  },
};

/** The pairs that were given out. */
async function race({ client }: Environment, refreshToken: string, count: number): Promise<Pair[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => client.ask('POST', '/v1/auth/refresh', { body: { refreshToken } })),
  );
  return answers.filter(({ status }) => status === 200).map(({ body }) => body);
}

/**
 * Uses the successor while the spent token comes again twenty times on both servers. Whichever is first, the spent one
 * gives nobody anything but the successor that is already out, and once that is used, it ends the session for all.
 */
async function diesOfReuse(environment: Environment, person: SignedIn, second: Pair): Promise<boolean> {
  const [thirds, copies] = await Promise.all([
    race(environment, second.refreshToken, atOnce / 2),
    race(environment, person.refreshToken, atOnce / 2),
  ]);
  const isForked =
    new Set(thirds.map(({ refreshToken }) => refreshToken)).size > 1 ||
    copies.some(({ refreshToken }) => refreshToken !== second.refreshToken);
  // By now the successor was used, or the session is dead: this is late at any rate.
  const late = await race(environment, person.refreshToken, 1);
  const tokens = [person, second, ...thirds.slice(0, 1)];
  return !isForked && late.length === 0 && (await isDead(environment, person.id, tokens));
}

async function isDead({ client, servers, sql }: Environment, id: string, tokens: Partial<Pair & SignedIn>[]) {
  const asked = servers.flatMap((server) =>
    tokens.flatMap(({ token, accessToken = token ?? '', refreshToken }) => [
      client.ask('GET', '/v1/auth/me', { token: accessToken, server }),
      client.ask('POST', '/v1/auth/refresh', { body: { refreshToken }, server }),
    ]),
  );
  const answers = await Promise.all(asked);
  const left = await sql`select 1 from sessions where user_id = ${id}`;
  return left.length === 0 && answers.every(({ status }) => status === 401);
}

/** Those of whom nobody used the successor: after ten seconds the spent token is reuse all the same. */
async function countSurvivorsOfWaiting(environment: Environment, count: number): Promise<number> {
  if (count === 0) return 0;
  const rotated = await each(count, 4, async (i) => {
    const person = await signIn(environment, phoneOf(1_000_000 + i));
    const [pair] = await race(environment, person.refreshToken, 1);
    if (!pair) throw new Error('a refresh was refused');
    return { person, pair };
  });
  await new Promise((resolve) => setTimeout(resolve, graceMs + 500));
  const outcomes = await each(count, 4, async (i) => {
    const { person, pair } = rotated[i] as (typeof rotated)[number];
    const late = await race(environment, person.refreshToken, atOnce);
    return late.length === 0 && (await isDead(environment, person.id, [person, pair]));
  });
  return outcomes.filter((isOver) => !isOver).length;
}
