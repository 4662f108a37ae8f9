/** Near words in SQL mode: a statement finds those that begin as the mistyped word does. */
import type { Queryable } from '../../../db/query.ts';
import { sql } from '../../../db/sql.ts';
import { listedCondition } from '../../events/policy.ts';
import { type FoundWord, maxEditsOf, type NearWord, selectNear } from './near-words.ts';

/** Events of a start that are read at most. */
const maxEvents = 2_000;

/** Lists the words near `word` whose first half is the same. */
export async function listNearWordsBySql(db: Queryable, word: string, now: Date): Promise<NearWord[]> {
  const max = maxEditsOf(word);
  if (max === 0) return [];
  const letters = [...word];
  const start = letters.slice(0, Math.floor(letters.length / 2)).join('');
  const found = await db.query<FoundWord>(sql`
    select w.word, count(*)::int as frequency from (
      select unnest(tsvector_to_array(e.search)) as word from (
        select e.search from events e
        where ${listedCondition()} and e.end_at > ${now} and e.search @@ ${`'${start}':*`}::tsquery
        limit ${maxEvents}
      ) e
    ) w
    where starts_with(w.word, ${start})
      and length(w.word) between ${letters.length - max}::int and ${letters.length + max}::int
    group by 1`);
  return selectNear(word, found);
}
