/** Near words in SQL mode: a statement finds those that begin as the mistyped word does. */
import { type Queryable, sql } from '#pg';
import { listedCondition } from '../../events/policy.ts';
import { type Effort, type FoundWord, maxEditsOf, type NearWord, selectNear } from './near-words.ts';

/** Events of a start that are read at most. */
const maxEvents = 2_000;

/**
 * Lists the words near `word` whose first half is the same. The words of short texts are listed first, and those of most
 * organizers are compared: a person who writes very many words displaces only words that few people use.
 */
export async function listNearWordsBySql(
  db: Queryable,
  word: string,
  { listed, comparisons }: Effort,
  now: Date,
): Promise<NearWord[]> {
  const max = maxEditsOf(word);
  if (max === 0) return [];
  const letters = [...word];
  const start = letters.slice(0, Math.floor(letters.length / 2)).join('');
  // The size of a stored text is known without reading it.
  const found = await db.query<FoundWord>(sql`
    select word, sum(events)::int as frequency from (
      select word, organizer_id, count(*) as events from (
        select unnest(tsvector_to_array(e.search)) as word, e.organizer_id from (
          select e.search, e.organizer_id from events e
          where ${listedCondition()} and e.end_at > ${now} and e.search @@ ${`'${start}':*`}::tsquery
          limit ${maxEvents}
        ) e
        order by pg_column_size(e.search) limit ${listed}::bigint
      ) w
      where starts_with(w.word, ${start})
        and length(w.word) between ${letters.length - max}::int and ${letters.length + max}::int
      group by 1, 2
    ) w
    group by 1 order by count(*) desc, 2 desc, 1 limit ${comparisons}::bigint`);
  return selectNear(word, found);
}
