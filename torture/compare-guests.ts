/** Compares the responses about contacts with an account, contacts with a guest of the event, and contacts of nobody. */
import { quantile } from './client.ts';
import { areAlike } from './compare-responses.ts';
import type { Environment } from './environment.ts';
import { createEvent, insertGoingRsvps } from './factories.ts';
import { compareSamples, type SampleComparison } from './statistics.ts';

const kinds = ['account', 'guest', 'nobody'] as const;
type Kind = (typeof kinds)[number];
type ContactsByKind = Record<Kind, string[]>;

export type GuestComparison = SampleComparison & {
  name: string;
  /** Between the medians. */
  differenceMs: number;
  /** Between the quartiles of both samples together. */
  spreadMs: number;
  /** Of the pairs of responses, those that a client can tell apart. */
  different: number;
  pairs: number;
};

const steps = [
  { name: 'a code', tail: 'guest-code', body: (email: string) => ({ email }) },
  {
    name: 'a wrong code',
    tail: 'guest-rsvp',
    body: (email: string) => ({ email, code: '000001', name: 'Mara', status: 'going' }),
  },
];

/** @param number how many contacts of each kind */
export async function compareGuests(
  environment: Environment,
  number: number,
  progress: (text: string) => void,
): Promise<GuestComparison[]> {
  const [organizer] = await environment.people(1);
  if (!organizer) throw new Error('no people were created');
  const event = await createEvent(environment, organizer);
  const contacts = await createContacts(environment, event, number);
  const found: GuestComparison[] = [];
  for (const step of steps) {
    progress(`comparing ${step.name}`);
    found.push(...(await compare(environment, event, contacts, step)));
  }
  return found;
}

/** Half of the guests go to the event. */
async function createContacts(
  environment: Environment,
  event: string,
  number: number,
): Promise<ContactsByKind> {
  const { sql } = environment;
  // The kinds alternate in the order of the addresses.
  const addressAt = (i: number, kind: number) =>
    `p${String(1_000_003 + (3 * i + ((kind + i) % 3)) * 1_103).padStart(9, '0')}@example.org`;
  const addresses = kinds.map((_, kind) => Array.from({ length: number }, (_, i) => addressAt(i, kind)));
  const [ofAccounts = [], ofGuests = [], ofNobody = []] = addresses;
  const accounts = await environment.people(number);
  const ids = accounts.map(({ id }) => id);
  await sql`delete from contacts where user_id = any(${ids}::uuid[])`;
  await sql`
    insert into contacts (user_id, contact) select * from unnest(${ids}::uuid[], ${ofAccounts}::text[])`;
  await sql`
    update users u set email = g.contact, phone = null
    from unnest(${ids}::uuid[], ${ofAccounts}::text[]) g (id, contact) where u.id = g.id`;
  const guests = await sql<{ id: string }[]>`
    insert into users (id, email, name, username, bio, city, language, is_private, role, search, created_at, guest_of)
    select gen_random_uuid(), contact, 'Mara', '', '', '', 'en', false, 'user', ' mara ', now(), ${event}
    from unnest(${ofGuests}::text[]) g (contact) returning id`;
  await sql`
    insert into guest_contacts (contact, event_id, user_id)
    select email, guest_of, id from users where guest_of = ${event}`;
  const going = guests.filter((_, i) => i % 2 === 0).map(({ id }) => ({ id, token: '' }));
  await insertGoingRsvps(environment, event, going);
  await sql`vacuum analyze`;
  return { account: ofAccounts, guest: ofGuests, nobody: ofNobody };
}

/** Sends a step for a contact of each kind in turn; which of them comes first alternates. */
async function compare(
  { client }: Environment,
  event: string,
  contacts: ContactsByKind,
  { name, tail, body }: (typeof steps)[number],
): Promise<GuestComparison[]> {
  const times: Record<Kind, number[]> = { account: [], guest: [], nobody: [] };
  const pairs = kinds.flatMap((one, i) => kinds.slice(i + 1).map((other) => ({ one, other, different: 0 })));
  const number = contacts.account.length;
  for (let i = 0; i < number; i++) {
    const responses = new Map<Kind, Awaited<ReturnType<typeof client.send>>>();
    for (let nth = 0; nth < kinds.length; nth++) {
      const kind = kinds[(i + nth) % kinds.length] as Kind;
      // Each contact has a network of its own, because networks have limits of messages and of wrong codes.
      const n = 3 * i + nth;
      const response = await client.send('POST', `/v1/events/${event}/${tail}`, {
        body: body(contacts[kind][i] ?? ''),
        headers: { 'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` },
      });
      times[kind].push(response.ms);
      responses.set(kind, response);
    }
    for (const pair of pairs) {
      const [one, other] = [responses.get(pair.one), responses.get(pair.other)];
      if (!one || !other || !areAlike(one, other)) pair.different++;
    }
  }
  return pairs.map(({ one, other, different }) => ({
    ...compareSamples(times[one], times[other]),
    ...{ name: `${name} for ${one} and ${other}`, different, pairs: number },
    differenceMs: quantile(times[one], 0.5) - quantile(times[other], 0.5),
    spreadMs: spreadOf([...times[one], ...times[other]]),
  }));
}

const spreadOf = (times: number[]): number => quantile(times, 0.75) - quantile(times, 0.25);
