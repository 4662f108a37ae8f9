import { raw, sql as statement } from '#pg';
import { type MessageKind, messageKinds } from '../../src/lib/contact.ts';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { quantile } from '../client.ts';
import { areAlike } from '../compare-responses.ts';
import { type Environment, secretKey } from '../environment.ts';
import { wrongCode } from '../phones.ts';
import type { Program } from '../program.ts';
import { compareSamples, type SampleComparison } from '../statistics.ts';

/** The largest allowed difference between the medians. */
const maxDifferenceMs = 1;
/**
 * The probability that the program fails although the response times of contacts with and without an account
 * have the same distribution, over all comparisons: each is tested at this level divided by their number
 * (Bonferroni).
 */
const significance = 0.001;
/** Enough countries that no country reaches its daily message limit. */
const countries = ['+1202', '+4670', '+4915', '+4479', '+3361', '+8190', '+3162', '+5511'];

/** Each pair of contacts has clients of its own, because a client network has a limit of wrong codes for all contacts. */
const development = { TRUST_PROXY: 'loopback', DEV_CODES: 'on' };
const production = {
  NODE_ENV: 'production',
  SMS_DRIVER: 'console',
  MAIL_DRIVER: 'console',
  PUBLIC_URL: 'http://127.0.0.1',
  TRUST_PROXY: 'loopback',
  RATE_LIMIT: '0',
  SMS_PER_DAY: '1000000',
};

export const enumeration: Program = {
  name: 'enumeration',
  expectation:
    'code requests and wrong codes, also without a request, for 2,000 numbers with an account and 2,000 without, and for as many ' +
    'mail addresses, with development and production settings; half of the accounts have signed in today elsewhere: identical ' +
    'bytes, waits that differ by less than five seconds, medians within 1 ms, and the same distribution of response times ' +
    '(Kolmogorov-Smirnov test, significance 0.1 % over all comparisons)',
  async run({ size, startEnvironment, progress }) {
    const number = size(2_000, 100);
    const results: StepResult[] = [];
    for (const [mode, env] of Object.entries({ development, production })) {
      const environment = await startEnvironment({ servers: 1, env });
      for (const kind of messageKinds) {
        for (const [nth, steps] of sequencesOf(kind).entries()) {
          const contacts = await createContacts(environment, kind, number, nth);
          for (const step of steps) {
            const name = `${step.name} by ${kind} in ${mode}`;
            progress(name);
            results.push({ name, ...(await compare(environment, contacts, step)) });
          }
        }
      }
    }
    const worst = results.reduce((a, b) => (Math.abs(b.differenceMs) > Math.abs(a.differenceMs) ? b : a));
    const least = results.reduce((a, b) => (b.p < a.p ? b : a));
    const distinguishable = results.filter(({ p }) => p < significance / results.length);
    const different = results.reduce((sum, each) => sum + each.different, 0);
    // Of the contacts of a step, all get one status, unless the server tells them apart.
    const mixed = results
      .filter(({ statuses }) => statuses.includes(','))
      .map(({ name, statuses }) => `, ${name}: ${statuses}`)
      .join('');
    return {
      result:
        `${results.length * number} pairs of responses: ${different} differ${mixed}; ` +
        `medians at most ${Math.abs(worst.differenceMs).toFixed(2)} ms apart (${worst.name}); ` +
        `${distinguishable.length} of ${results.length} distributions of response times differ` +
        `${distinguishable.map(({ name, distance }) => `, ${name} by ${distance.toFixed(3)}`).join('')} ` +
        `(smallest p ${least.p.toPrecision(2)} at distance ${least.distance.toFixed(3)}, ${least.name})`,
      ok: different === 0 && Math.abs(worst.differenceMs) < maxDifferenceMs && distinguishable.length === 0,
    };
  },
};

type StepResult = SampleComparison & {
  name: string;
  differenceMs: number;
  different: number;
  statuses: string;
};
type Contacts = { known: string[]; unknown: string[] };
type Step = { name: string; path: string; body(contact: string): unknown };

const paths: Record<MessageKind, string> = { phone: '/v1/auth/otp', email: '/v1/auth/email' };

/**
 * Each step continues from the state of the step before. In production, the second code request is rate-limited. The second sequence
 * asks for no code, so that the refusal of the sixth wrong code depends on nothing that the attacker has caused.
 */
function sequencesOf(kind: MessageKind): Step[][] {
  const verify = {
    path: `${paths[kind]}/verify`,
    body: (contact: string) => ({ [kind]: contact, code: wrongCode('000000') }),
  };
  const request = { path: `${paths[kind]}/request`, body: (contact: string) => ({ [kind]: contact }) };
  const nth = [
    'a',
    'the second',
    'the third',
    'the fourth',
    'the fifth',
    'the sixth',
    'the seventh',
    'the eighth',
  ];
  const wrong = (number: number, more: string) =>
    nth.slice(0, number).map((which) => ({ name: `${which} wrong code${more}`, ...verify }));
  return [
    [
      { name: 'requesting a code', ...request },
      { name: 'requesting another code', ...request },
      ...wrong(6, ''),
    ],
    wrong(8, ' without a request'),
  ];
}

/** Creates contacts with and without an account, alternating, with the same countries and similar digits. */
async function createContacts(
  { sql, people }: Environment,
  kind: MessageKind,
  number: number,
  /** Of the sequence: each has numbers of its own. */
  nth: number,
): Promise<Contacts> {
  const accounts = await people(number);
  // The numbers of a pair are in one country. All numbers are spread so that no block reaches its message
  // limit.
  const digitsAt = (n: number) => String(1_000_003 + (n + nth * 2 * number) * 1_103).padStart(7, '0');
  const contactAt = (i: number, n: number) =>
    kind === 'phone' ? (countries[i % countries.length] ?? '') + digitsAt(n) : `p${digitsAt(n)}@example.org`;
  const known = accounts.map((_, i) => contactAt(i, 2 * i + (i % 2)));
  const unknown = accounts.map((_, i) => contactAt(i, 2 * i + 1 - (i % 2)));
  const given = statement`unnest(${accounts.map(({ id }) => id)}::uuid[], ${known}::text[]) g (id, contact)`;
  await sql`delete from contacts c using ${given} where c.user_id = g.id`;
  await sql`insert into contacts select contact, id from ${given}`;
  const others = messageKinds.filter((each) => each !== kind);
  const without = raw(others.map((each) => `, ${each} = null`).join(''));
  await sql`update users u set ${raw(kind)} = g.contact ${without} from ${given} where u.id = g.id`;
  await signInElsewhere(sql, kind, known);
  await sql`vacuum analyze`;
  return { known, unknown };
}

/** Forgets all codes and tries, and stores what remains of a sign-in of an hour ago for every other contact. */
async function signInElsewhere(
  sql: Environment['sql'],
  kind: MessageKind,
  contacts: string[],
): Promise<void> {
  for (const table of ['codes', 'code_tries', 'code_sends', 'known_networks'])
    await sql`delete from ${raw(table)}`;
  const hashes = contacts.filter((_, i) => i % 4 < 2).map((value) => hashContact(secretKey, { kind, value }));
  await sql`
    insert into codes (contact_hash, purpose, requester, trust, code_hash, sent_at, expires_at)
    select hash, 'sign_in', 'elsewhere'::bytea, 'unknown', null, now() - interval '1 hour', now() - interval '55 minutes'
    from unnest(${hashes}::bytea[]) hash`;
  await sql`
    insert into known_networks (contact_hash, network, signed_in_at)
    select hash, 'elsewhere'::bytea, now() - interval '1 hour' from unnest(${hashes}::bytea[]) hash`;
}

/** Sends the step for each pair of contacts in sequence, alternating which contact comes first. */
async function compare(environment: Environment, { known, unknown }: Contacts, step: Step) {
  const times = { known: [] as number[], unknown: [] as number[] };
  const statuses = new Set<number>();
  let different = 0;
  let sent = 0;
  const send = async (kind: keyof Contacts, contact: string) => {
    // Each client address has its own message limit.
    const address = `10.${Math.floor(sent / 4) >> 8}.${Math.floor(sent / 4) & 255}.1`;
    sent++;
    const response = await environment.client.send('POST', step.path, {
      body: step.body(contact),
      headers: { 'x-forwarded-for': address },
    });
    times[kind].push(response.ms);
    statuses.add(response.status);
    return response;
  };
  for (const [i, knownContact] of known.entries()) {
    const sendKnown = () => send('known', knownContact);
    const sendUnknown = () => send('unknown', unknown[i] ?? '');
    const [first, second] = i % 2 === 0 ? [sendKnown, sendUnknown] : [sendUnknown, sendKnown];
    if (!areAlike(await first(), await second())) different++;
  }
  const differenceMs = quantile(times.known, 0.5) - quantile(times.unknown, 0.5);
  const comparison = compareSamples(times.known, times.unknown);
  return { ...comparison, differenceMs, different, statuses: [...statuses].sort().join(', ') };
}
