/** W3: text search for a rare to a frequent word, by start and by relevance, with the exact total. */
import { searchQuery } from '../../../src/modules/events/search-words.ts';
import { planted } from '../../seed/vocabulary.ts';
import { type Candidate, listed, selectPage, type WorkItem } from '../environment.ts';

const variant = (word: string, order: 'by start' | 'by relevance'): WorkItem => ({
  item: 'W3',
  variant: `${word}, ${order}`,
  // The peers were measured only with this word.
  bestPeer: word === 'jazz' ? 52 : null,
  async prepare() {
    const path =
      order === 'by start' ? `/v1/events?q=${word}&limit=20` : `/v1/events/search?q=${word}&limit=20`;
    const candidates = order === 'by start' ? byStart(word) : byRelevance(word);
    return { requests: [{ method: 'GET' as const, path }], candidates };
  },
});

/** See nearby.ts: no event lasts longer than a week. */
const ahead = `${listed} and e.start_at > now() - interval '7 days' and e.end_at > now()`;

/** Escapes colons, because pgbench replaces `:name` by a variable. */
const query = (text: string) => `E'${text.replaceAll("'", "''").replaceAll(':', '\\x3a')}'::tsquery`;

const matching = (word: string) => `e.search @@ ${query(searchQuery(word).anywhere)}`;

function byStart(word: string): Candidate[] {
  const collected = `with matches as materialized (
      select e.id, e.start_at from events e where ${ahead} and ${matching(word)}
    ), total as (select count(*) as total from matches),
    page as (select * from matches order by start_at, id limit 20) ${selectPage(false)}`;
  // Scans the index by start and checks each event for the word, until the page is full.
  const scanned = `with page as (
      select e.id, e.start_at from events e where ${ahead} and (${matching(word)}) is true
      order by e.start_at, e.id limit 20
    ), total as (select count(*) as total from events e where ${ahead} and ${matching(word)}) ${selectPage(false)}`;
  return [
    { name: 'matches collected', scripts: [collected] },
    { name: 'start index scanned', scripts: [scanned] },
  ];
}

function byRelevance(word: string): Candidate[] {
  const { inTitle, wholeInTitle, inTitleOrAddress, anywhere } = searchQuery(word);
  const rank = `case when e.search @@ ${query(inTitle)} then 2 + (e.search @@ ${query(wholeInTitle)})::int
      when e.search @@ ${query(inTitleOrAddress)} then 1 else 0 end + ts_rank(e.search, ${query(anywhere)}, 32)`;
  const script = `with matches as materialized (
      select e.id, e.start_at, ${rank} as rank from events e
      where ${listed} and e.end_at > now() and ${matching(word)}
    ), total as (select count(*) as total from matches),
    page as (select * from matches order by rank desc, start_at, id limit 20)
    ${selectPage(false, 'p.rank desc, p.start_at, p.id')}`;
  return [{ name: 'matches collected', scripts: [script] }];
}

export const text: WorkItem[] = Object.keys(planted)
  .reverse()
  .flatMap((word) => [variant(word, 'by start'), variant(word, 'by relevance')]);
