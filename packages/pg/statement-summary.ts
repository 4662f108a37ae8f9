/** What a statement does, in a few words, for spans. */
import type { RenderedStatement } from './sql.ts';

/** By text. The texts with parameters are those of the source code, so their number is bounded. */
const summaries = new Map<string, string>();

export const summaryOf = ({ text, values }: RenderedStatement): string =>
  values.length > 0 ? summaries.getOrInsertComputed(text, summarize) : summarize(text);

const maxLength = 255;
/** A query that the statement names: `NAME as (`, `NAME (COLUMN, …) as materialized (`. */
const namedQuery = /\b(\w+)(?: ?\([^()]*\))? as (?:(?:not )?materialized )?\(/g;
/** Not `for update`, `do update`, `is distinct from`, nor functions and columns after `from`. */
const access =
  /\b(insert into|(?<!for |for no key |do )update|delete from|(?<!distinct )from|join) (?:only |lateral )?((?!lateral\b)[a-z_]\w*)(?![\w.(])/g;
const verbs: Record<string, string> = { 'insert into': 'INSERT', update: 'UPDATE', 'delete from': 'DELETE' };

/**
 * The operations and their tables, such as `INSERT items UPDATE event_counters`; without a table, the first word. Only names
 * of the source code, nothing of a value.
 */
function summarize(statement: string): string {
  const text = statement
    .replace(/'(?:[^']|'')*'|"[^"]*"|--.*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const named = new Set(Array.from(text.matchAll(namedQuery), ([, name]) => name));
  const parts = Array.from(text.matchAll(access), ([, verb = '', table = '']) =>
    named.has(table) ? '' : `${verbs[verb] ?? 'SELECT'} ${table}`,
  );
  const summary =
    [...new Set(parts.filter(Boolean))].join(' ') || (text.split(' ', 1)[0] ?? '').toUpperCase();
  return summary.slice(0, maxLength);
}
