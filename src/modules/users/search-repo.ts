/** Search for people by name or username. */
import type { Database } from '../../db/client.ts';
import { listEach } from '../../db/rows.ts';
import { raw, type Statement, sql } from '../../db/sql.ts';
import { escapeLike, fold, words } from '../../lib/text.ts';
import type { FoundRow } from './present.ts';
import { foundColumns } from './repo.ts';

/** What is looked for: the text as it was typed, but for case, accents and the width of its spaces. */
export const userSearchTerm = (q: string): string => fold(q).trim().replace(/\s+/g, ' ');

/**
 * What `users.search` holds, with a space before each word: the name as it is written, so that "o'neil" finds
 * O'Neil, then its words without punctuation, so that "neil" does; the same of the username. Begins with the
 * name.
 */
export function userSearchText(name: string, username: string): string {
  const spellings = [name, username].flatMap((text) => [userSearchTerm(text), words(text).join(' ')]);
  return ` ${[...new Set(spellings)].join(' ')}`;
}

/** Finds a term in `users.search`: at the start of a word, or from three characters on anywhere. */
export function userSearchPattern(term: string): string {
  const start = escapeLike(term);
  return [...term].length < 3 ? `% ${start}%` : `%${start}%`;
}

export type UserSearch = { callerId: string; term: string; atMost: number };

type SearchKey = UserSearch & { start: string };
type Part = (key: Record<keyof SearchKey, Statement>) => Statement;

const isWord = (term: string) => !term.includes(' ');
const startsName: Part = ({ start }) => sql`search like ' ' || ${start} || '%'`;
const startsWord: Part = ({ start }) => sql`search like '% ' || ${start} || '%'`;
/** The same in each database, so that an index has it. */
const byUsername = raw('username collate "C"');

/**
 * Each step finds also whom the steps before it found, and reads more people. `rank`: who comes first; then by username, as
 * an index has them in the first step.
 */
const steps: { isFor(term: string): boolean; matches: Part; rank: Part }[] = [
  {
    isFor: isWord,
    matches: ({ term }) => sql`${byUsername} >= ${term} and ${byUsername} < ${term} || '\u{10ffff}'`,
    rank: () => raw('0'),
  },
  { isFor: isWord, matches: startsWord, rank: (key) => sql`(not ${startsName(key)})::int` },
  {
    isFor: (term) => [...term].length > 2,
    matches: ({ start }) => sql`search like '%' || ${start} || '%'`,
    // Of a phrase, this is the only step: it matches few people.
    rank: (key) => sql`
      case when ${key.term} like '% %' then (not ${startsName(key)})::int + (not ${startsWord(key)})::int end`,
  },
];

/**
 * For each search, people whose name or username has a word that starts with `term`, or from three characters on has it
 * anywhere, without those whom a block separates from the caller. Best first: the username itself, its start, the start of
 * the name, of another word, anywhere; then by username.
 */
export async function searchUsers(db: Database, searches: UserSearch[]): Promise<FoundRow[][]> {
  const all = searches.map((search) => {
    return { ...search, start: escapeLike(search.term), found: new Map<string, FoundRow>() };
  });
  for (const { isFor, matches, rank } of steps) {
    const open = all.filter(({ term, atMost, found }) => isFor(term) && found.size < atMost);
    if (open.length === 0) continue;
    const lists = await listEach<FoundRow, SearchKey>(
      db,
      open,
      { callerId: 'uuid', term: 'text', start: 'text', atMost: 'int' },
      (key) => sql`
        select ${foundColumns(key.callerId)}, ${rank(key)} as rank from users u
        where ${matches(key)} and suspended_at is null and id <> all(array(
          select other_id from relations where user_id = ${key.callerId} and (blocks or blocked_by)))
        order by rank, ${byUsername}
        limit ${key.atMost}`,
      sql`s.rank, s.username collate "C"`,
    );
    for (const [i, { found }] of open.entries()) for (const row of lists[i] ?? []) found.set(row.id, row);
  }
  return all.map(({ found, atMost }) => [...found.values()].slice(0, atMost));
}
