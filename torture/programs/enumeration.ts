import { raw } from '../../src/db/sql.ts';
import type { ClientResponse } from '../client.ts';
import { quantile } from '../client.ts';
import type { Environment } from '../environment.ts';
import { notThe } from '../phones.ts';
import type { Program } from '../program.ts';

/** In ms; what the medians may differ by. */
const mostApart = 1;
/** Enough of them that the day's messages to a country do not run out before the numbers do. */
const countries = ['+1202', '+4670', '+4915', '+4479', '+3361', '+8190', '+3162', '+5511'];

const production = {
  NODE_ENV: 'production',
  SMS_DRIVER: 'console',
  PUBLIC_URL: 'http://127.0.0.1',
  TRUST_PROXY: 'loopback',
  RATE_LIMIT: '0',
  SMS_PER_DAY: '1000000',
};

export const enumeration: Program = {
  name: 'enumeration',
  promise:
    '2,000 numbers with an account and 2,000 without, asking for codes and trying wrong ones, ' +
    'as it runs at home and in production: the same bytes, medians within 1 ms',
  async run({ size, open, progress }) {
    const number = size(2_000, 100);
    const found: Found[] = [];
    for (const [place, env] of Object.entries({ 'at home': {}, 'in production': production })) {
      const environment = await open({ servers: 1, env });
      const phones = await twoKinds(environment, number);
      for (const step of steps) {
        progress(`${step.name} ${place}`);
        found.push({ what: `${step.name} ${place}`, ...(await compare(environment, phones, step)) });
      }
    }
    const worst = found.reduce((a, b) => (Math.abs(b.apart) > Math.abs(a.apart) ? b : a));
    const different = found.reduce((sum, each) => sum + each.different, 0);
    const told = found.map((each) => `${each.what}: ${each.told}`).join(', ');
    return {
      figure:
        `${found.length * number} pairs of answers (${told}): ${different} differ; ` +
        `medians at most ${Math.abs(worst.apart).toFixed(2)} ms apart (${worst.what})`,
      ok: different === 0 && Math.abs(worst.apart) < mostApart,
    };
  },
};

type Found = { what: string; apart: number; different: number; told: string };
type Phones = { known: string[]; unknown: string[] };
type Step = { name: string; path: string; body(phone: string): unknown };

const verify = { path: '/v1/auth/otp/verify', body: (phone: string) => ({ phone, code: notThe('000000') }) };
const request = { path: '/v1/auth/otp/request', body: (phone: string) => ({ phone }) };

/** In this order: what one leaves behind is what the next finds. In production the second request is one too many. */
const steps: Step[] = [
  { name: 'a code nobody asked for', ...verify },
  { name: 'a code', ...request },
  { name: 'a code at once again', ...request },
  { name: 'a wrong code', ...verify },
  { name: 'the second wrong one', ...verify },
  { name: 'the third', ...verify },
  { name: 'the fourth', ...verify },
  { name: 'the fifth', ...verify },
  { name: 'the sixth', ...verify },
];

/** By turns one of somebody's and one of nobody's, of the same countries and alike in their digits. */
async function twoKinds({ sql, people }: Environment, number: number): Promise<Phones> {
  const made = await people(number);
  // The two of a pair are of one country, and spread so that no block of numbers has its fill of messages.
  const phoneAt = (i: number, n: number) =>
    (countries[i % countries.length] ?? '') + String(1_000_003 + n * 2_003).padStart(7, '0');
  const known = made.map((_, i) => phoneAt(i, 2 * i + (i % 2)));
  const unknown = made.map((_, i) => phoneAt(i, 2 * i + 1 - (i % 2)));
  const ids = made.map(({ id }) => id);
  for (const [table, key] of [
    ['users', 'id'],
    ['phones', 'user_id'],
  ] as const) {
    await sql`
      update ${raw(table)} t set phone = g.phone from unnest(${ids}::uuid[], ${known}::text[]) g (id, phone)
      where t.${raw(key)} = g.id`;
  }
  await sql`vacuum analyze`;
  return { known, unknown };
}

/** One at a time, by turns, and by turns which kind goes first. */
async function compare(environment: Environment, { known, unknown }: Phones, step: Step) {
  const times = { known: [] as number[], unknown: [] as number[] };
  const told: Record<string, number> = {};
  let different = 0;
  let nth = 0;
  const ask = async (kind: keyof Phones, phone: string) => {
    // An address has its own share of messages.
    const address = `10.${Math.floor(nth / 4) >> 8}.${Math.floor(nth / 4) & 255}.1`;
    nth++;
    const answer = await environment.client.ask('POST', step.path, {
      body: step.body(phone),
      headers: { 'x-forwarded-for': address },
    });
    times[kind].push(answer.ms);
    told[answer.status] = (told[answer.status] ?? 0) + 1;
    return bytesOf(answer);
  };
  for (const [i, mine] of known.entries()) {
    const other = unknown[i] ?? '';
    if (i % 2 === 0) {
      if ((await ask('known', mine)) !== (await ask('unknown', other))) different++;
    } else if ((await ask('unknown', other)) !== (await ask('known', mine))) different++;
  }
  const apart = quantile(times.known, 0.5) - quantile(times.unknown, 0.5);
  return { apart, different, told: Object.keys(told).join(', ') };
}

/** All of an answer but what differs from one request to the next whatever the number: ids, codes, and the time. */
function bytesOf({ status, headers, body }: ClientResponse): string {
  const text = JSON.stringify(body)
    .replace(/"requestId":"[\da-f-]{36}"/, '"requestId":"…"')
    .replace(/"devCode":"\d{6}"/, '"devCode":"…"');
  const lines = Object.entries(headers).map(([name, value]) => {
    const differs = name === 'date' || name === 'x-request-id';
    // Seconds go by while thousands ask; the number of digits may not tell anything either way.
    const seconds = name === 'retry-after' ? '…' : value;
    return `${name}: ${differs ? '…' : seconds}`;
  });
  return [status, ...lines, text].join('\n');
}
