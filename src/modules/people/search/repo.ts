/** Search for people by name or username. */
import { type Database, listEach, raw, type Statement, sql } from '#pg';
import { searchKey } from '../../../lib/search-key.ts';
import { escapeLike } from '../../../lib/text.ts';
import type { FoundRow } from '../present.ts';
import { foundColumns } from '../repo.ts';
import { anywherePatterns, startPatterns, type UserPatterns } from './patterns.ts';

export type UserSearch = { callerId: string; term: string; atMost: number };

type SearchKey = UserSearch & {
  one: string;
  two: string;
  three: string;
  pattern: string;
  startsName: string;
  startsWord: string;
};
type Part = (key: Record<keyof SearchKey, Statement>) => Statement;
type Step = { patternsOf(term: string): UserPatterns | null; matches: Part; compared: Part; rank: Part };

/**
 * Which of the matching people a step compares: of a word that more people have, any of them, because their order would
 * require reading all.
 */
const anyPeople: Part = () => sql`limit 500`;

/** The same in each database, so that an index has it. */
const byUsername = raw('username collate "C"');
const matchesRuns = ({ one, two, three }: Record<'one' | 'two' | 'three', unknown>) =>
  sql`search like ${one} and search like ${two} and search like ${three}`;

/** Whether an account of `users` has the term: anywhere, or if it is short, as the start of a word. */
export function hasTerm(term: string): Statement {
  const patterns = anywherePatterns(term) ?? startPatterns(term);
  if (!patterns) return raw('false');
  const [one, two, three] = patterns.runs;
  return sql`${matchesRuns({ one, two, three })} and search like ${patterns.term}`;
}

const isWord = (term: string) => !term.includes(' ');

/**
 * Each step finds also whom the steps before it found, and reads more people. `rank`: who comes first; then by username, as
 * an index has them in the first step.
 */
const steps: Step[] = [
  {
    patternsOf: (term) => (isWord(term) ? { runs: ['', '', ''], term: '%' } : null),
    matches: ({ term }) => sql`${byUsername} >= ${term} and ${byUsername} < ${term} || '\u{10ffff}'`,
    compared: ({ atMost }) => sql`order by ${byUsername} limit ${atMost}`,
    rank: () => raw('0'),
  },
  {
    patternsOf: (term) => (isWord(term) || !anywherePatterns(term) ? startPatterns(term) : null),
    matches: matchesRuns,
    compared: anyPeople,
    rank: ({ startsName }) => sql`(not search like ${startsName})::int`,
  },
  {
    patternsOf: anywherePatterns,
    matches: matchesRuns,
    compared: anyPeople,
    // Of a phrase, this is the only step: it matches few people.
    rank: ({ term, startsName, startsWord }) => sql`
      case when ${term} like '% %' then (not search like ${startsName})::int + (not search like ${startsWord})::int end`,
  },
];

/**
 * For each search, people whose name or username has a word that starts with `term`, or from three characters on has it
 * anywhere, without those whom a block separates from the caller. Best first: the username itself, its start, the start of
 * the name, of another word, anywhere; then by username.
 */
export async function searchUsers(db: Database, searches: UserSearch[]): Promise<FoundRow[][]> {
  const all = searches.map((search) => ({ ...search, found: new Map<string, FoundRow>() }));
  for (const step of steps) {
    const open = all.flatMap((search) => {
      const patterns = search.found.size < search.atMost ? step.patternsOf(search.term) : null;
      return patterns ? { ...search, ...keyOf(search.term, patterns) } : [];
    });
    if (open.length === 0) continue;
    const lists = await listEach<FoundRow, SearchKey>(db, open, columns, selectOf(step), order);
    for (const [i, { found }] of open.entries()) for (const row of lists[i] ?? []) found.set(row.id, row);
  }
  return all.map(({ found, atMost }) => [...found.values()].slice(0, atMost));
}

const columns = {
  callerId: 'uuid',
  term: 'text',
  one: 'text',
  two: 'text',
  three: 'text',
  pattern: 'text',
  startsName: 'text',
  startsWord: 'text',
  atMost: 'int',
} as const;
const order = sql`s.rank, s.username collate "C"`;

function keyOf(term: string, { runs: [one, two, three], term: pattern }: UserPatterns) {
  const start = searchKey(escapeLike(term));
  return { one, two, three, pattern, startsName: ` ${start}%`, startsWord: `% ${start}%` };
}

const selectOf = ({ matches, compared, rank }: Step): Part => {
  return (given) => sql`
    select *, ${rank(given)} as rank from (
      select ${foundColumns(given.callerId)}, search from users u
      where ${matches(given)} and suspended_at is null and guest_of is null and id <> all(array(
        select other_id from relations where user_id = ${given.callerId} and (blocks or blocked_by)))
      ${compared(given)}) u
    where search like ${given.pattern}
    order by rank, ${byUsername}
    limit ${given.atMost}`;
};
