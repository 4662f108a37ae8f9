/** Generates accounts, sessions, follows and blocks. */
import { successorPair } from '../../src/identity/tokens.ts';
import { userSearchText } from '../../src/modules/people/search/patterns.ts';
import { randomOf } from '../../test/support/random.ts';
import { idOf, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { cities } from './places.ts';
import { capitalised, phrase } from './vocabulary.ts';

const givenNames =
  'Ada Amir Ana Anders Beatriz Björn Carla Chen Chloé Daniel Elena Emil Fatima Felix Freya Grace Hana Hugo Ingrid Ivan Jana Jonas Julia Kai Karin Kwame Lars Leila Lena Liam Lucía Maja Malik Mara Marco Maria Mehmet Mina Nadia Nils Noor Olga Omar Oskar Paula Pedro Priya Rahul Rosa Sara Sofia Sven Tariq Thomas Uma Vera Viktor Wei Yuki Zoë'.split(
    ' ',
  );
const familyNames =
  'Abbott Acosta Ahmed Almeida Andersson Baker Bauer Berg Bianchi Brown Castro Chang Costa Dahl Demir Diaz Dubois Eriksen Evans Ferrari Fischer Fonseca García Gomez Haas Hansen Hoffmann Ibrahim Ito Jansen Johansson Kaya Keller Khan Kim Kovač Kumar Larsen Lehmann Lindgren Lopez Martin Mbeki Meyer Moreau Mwangi Nakamura Nguyen Novák Okafor Olsen Ortiz Patel Petrov Popescu Quinn Ramos Reyes Ricci Rossi Sánchez Santos Schmidt Silva Smith Suzuki Tanaka Torres Vargas Virtanen Wagner Walker Weber Wilson Yamamoto Yılmaz Zhang Zimmermann'.split(
    ' ',
  );
const plainLetters = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replace(/[^a-z]/g, '');

type Person = { name: string; username: string; isPrivate: boolean };

function personOf(n: number): Person {
  const random = randomOf(n * 7 + 3);
  const [given, family] = [random.pick(givenNames), random.pick(familyNames)];
  const username = `${plainLetters(given)}.${plainLetters(family)}_${n}`.slice(-30);
  return { name: `${given} ${family}`, username, isPrivate: random.next() < 0.05 };
}

const phoneOf = (n: number) => `+4670${1_000_000 + n}`;

/** @param day the creation day of the dataset; sessions are valid for longer than its lifetime */
export function accountTables(day: Date, key: string, eventsCounts: Int32Array): Table[] {
  const now = day.toISOString();
  const expiresAt = new Date(day.getTime() + 60 * 86_400_000).toISOString();
  return [
    table('users', 'id, phone, name, username, bio, city, is_private, role, search, created_at', (n) => {
      const { name, username, isPrivate } = personOf(n);
      const random = randomOf(n * 11 + 5);
      const bio = capitalised(phrase(random, 3 + random.below(8)).join(' '));
      const search = userSearchText(name, username);
      const { name: city } = random.pick(cities);
      return [idOf('user', n), phoneOf(n), name, username, bio, city, isPrivate, 'user', search, now];
    }),
    table('contacts', 'contact, user_id', (n) => [phoneOf(n), idOf('user', n)]),
    table('usernames', 'username, user_id', (n) => [personOf(n).username, idOf('user', n)]),
    table(
      'sessions',
      'user_id, id, access_hash, refresh_hash, spent_hash, refreshed_at, access_expires_at, refresh_expires_at, ends_at, created_at, user_agent',
      (n) => {
        const { accessHash, refreshHash } = tokensOf(key, n);
        const hashes = [bytea(accessHash), bytea(refreshHash), null];
        return [
          idOf('user', n),
          idOf('session', n),
          ...hashes,
          now,
          expiresAt,
          expiresAt,
          expiresAt,
          now,
          'bench',
        ];
      },
    ),
    ...relationTables(eventsCounts),
  ];
}

/** Derives the tokens from the number, so that they are deterministic. */
export const tokensOf = (key: string, n: number) =>
  successorPair(key, { userId: idOf('user', n), sessionId: idOf('session', n) }, `bench ${n}`);

const bytea = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

function table(name: string, columns: string, row: (n: number) => Row): Table {
  function* rows() {
    for (let n = 1; n <= userCount; n++) yield row(n);
  }
  return { name, columns, count: userCount, rows };
}

/** Flags of a relation, from the view of one person. */
const follows = 1;
const followedBy = 2;
const blocks = 4;
const blockedBy = 8;

const mirrored = (flags: number) => ((flags & 5) << 1) | ((flags & 10) >> 1);

/** The relations of each person: flags by the number of the other person. */
function relations(): Map<number, number>[] {
  const random = randomOf(2);
  const all = Array.from({ length: userCount + 1 }, () => new Map<number, number>());
  const add = (a: number, b: number, flag: number) => {
    const flags = (all[a]?.get(b) ?? 0) | flag;
    all[a]?.set(b, flags);
    all[b]?.set(a, mirrored(flags));
  };
  for (let n = 1; n <= userCount; n++) {
    // The square favours small numbers, so that some people have many followers.
    for (let i = random.below(11); i > 0; i--) {
      const other = 1 + Math.floor(random.next() ** 2 * userCount);
      if (other !== n) add(n, other, follows);
    }
  }
  for (let i = 0; i < 500; i++) {
    const [a, b] = [1 + random.below(userCount), 1 + random.below(userCount)];
    // A block removes follows, so only unrelated people are blocked.
    if (a !== b && !all[a]?.has(b)) add(a, b, blocks);
  }
  return all;
}

function relationTables(eventsCounts: Int32Array): Table[] {
  const all = relations();
  const count = all.reduce((sum, others) => sum + others.size, 0);
  function* rows(): Generator<Row> {
    for (const [n, others] of all.entries()) {
      for (const [other, flags] of [...others].sort(([a], [b]) => a - b)) {
        const each = [follows, followedBy, blocks, blockedBy].map((flag) => (flags & flag) !== 0);
        yield [idOf('user', n), idOf('user', other), ...each];
      }
    }
  }
  const counting = (n: number, flag: number) =>
    all[n]
      ?.values()
      .filter((flags) => flags & flag)
      .toArray().length ?? 0;
  return [
    {
      name: 'relations',
      columns: 'user_id, other_id, follows, followed_by, blocks, blocked_by',
      count,
      rows,
    },
    table('user_counters', 'user_id, followers_count, following_count, events_count', (n) => [
      idOf('user', n),
      counting(n, followedBy),
      counting(n, follows),
      eventsCounts[n] ?? 0,
    ]),
  ];
}
