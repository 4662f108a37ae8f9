import { runConcurrently } from '../client.ts';
import type { Environment } from '../environment.ts';
import { phoneOf, type SignedIn, signIn } from '../phones.ts';
import type { Program } from '../program.ts';

const concurrency = 20;
/** A spent refresh token returns its successor again for this time. */
const graceMs = 10_000;

type Pair = { accessToken: string; refreshToken: string };

export const refreshRace: Program = {
  name: 'refresh-race',
  expectation:
    '20 refreshes of one token at once, 500 times: one successor; after a late reuse, the session is ' +
    'revoked',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [times, lateReuses] = [size(500, 10), size(50, 0)];
    const environment = await startEnvironment();
    let forked = 0;
    let survived = 0;
    let done = 0;
    await runConcurrently(times, 4, async (i) => {
      const person = await signIn(environment, phoneOf(i));
      const pairs = await refreshConcurrently(environment, person.refreshToken, concurrency);
      if (new Set(pairs.map(({ refreshToken }) => refreshToken)).size !== 1 || pairs.length < concurrency)
        forked++;
      const [pair] = pairs;
      if (!pair || !(await isEndedByReuse(environment, person, pair))) survived++;
      progress(`${++done} of ${times}`);
    });
    survived += await countSurvivorsOfLateReuse(environment, lateReuses);
    return {
      result:
        `${times} times ${concurrency} at once: ${forked} with more or fewer than one successor; ` +
        `${survived} of ${times + lateReuses} sessions survived a late reuse`,
      ok: forked + survived === 0,
    };
  },
};

/** Refreshes one token concurrently. @returns the token pairs of the successful responses */
async function refreshConcurrently(
  { client }: Environment,
  refreshToken: string,
  count: number,
): Promise<Pair[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, () => client.send('POST', '/v1/auth/refresh', { body: { refreshToken } })),
  );
  return responses.filter(({ status }) => status === 200).map(({ body }) => body);
}

/**
 * Uses the successor and the spent token concurrently on both servers. In any order, the spent token returns
 * only the existing successor, and after the successor was used, a reuse of the spent token ends the session.
 */
async function isEndedByReuse(environment: Environment, person: SignedIn, second: Pair): Promise<boolean> {
  const [thirds, copies] = await Promise.all([
    refreshConcurrently(environment, second.refreshToken, concurrency / 2),
    refreshConcurrently(environment, person.refreshToken, concurrency / 2),
  ]);
  const isForked =
    new Set(thirds.map(({ refreshToken }) => refreshToken)).size > 1 ||
    copies.some(({ refreshToken }) => refreshToken !== second.refreshToken);
  // By now the successor was used or the session has ended, so this is a late reuse.
  const late = await refreshConcurrently(environment, person.refreshToken, 1);
  const tokens = [person, second, ...thirds.slice(0, 1)];
  return !isForked && late.length === 0 && (await isSessionEnded(environment, person.id, tokens));
}

async function isSessionEnded(
  { client, servers, sql }: Environment,
  id: string,
  tokens: Partial<Pair & SignedIn>[],
) {
  const requests = servers.flatMap((server) =>
    tokens.flatMap(({ token, accessToken = token ?? '', refreshToken }) => [
      client.send('GET', '/v1/auth/me', { token: accessToken, server }),
      client.send('POST', '/v1/auth/refresh', { body: { refreshToken }, server }),
    ]),
  );
  const responses = await Promise.all(requests);
  const left = await sql`select 1 from sessions where user_id = ${id}`;
  return left.length === 0 && responses.every(({ status }) => status === 401);
}

/** Even if the successor is unused, the spent token counts as reused after ten seconds. */
async function countSurvivorsOfLateReuse(environment: Environment, count: number): Promise<number> {
  if (count === 0) return 0;
  const rotated = await runConcurrently(count, 4, async (i) => {
    const person = await signIn(environment, phoneOf(1_000_000 + i));
    const [pair] = await refreshConcurrently(environment, person.refreshToken, 1);
    if (!pair) throw new Error('a refresh was refused');
    return { person, pair };
  });
  await new Promise((resolve) => setTimeout(resolve, graceMs + 500));
  const outcomes = await runConcurrently(count, 4, async (i) => {
    const { person, pair } = rotated[i] as (typeof rotated)[number];
    const late = await refreshConcurrently(environment, person.refreshToken, concurrency);
    return late.length === 0 && (await isSessionEnded(environment, person.id, [person, pair]));
  });
  return outcomes.filter((hasEnded) => !hasEnded).length;
}
