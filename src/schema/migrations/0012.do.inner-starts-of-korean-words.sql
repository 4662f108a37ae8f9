-- src/modules/events/search-words.ts: events are found by the rest of a Korean word, from each of its syllables on. A server of the
-- last release does not add these words to an event; the next change of the text on a server of this release does.
-- Citus takes immutable functions alone: neither format() nor a number beside a text.
update events e set search = (e.search::text || ' ' || coalesce((
  select string_agg('''' || substr(w.lexeme, i) || ''':' || p.list, ' ')
  from unnest(e.search) w,
    lateral (
      select string_agg(u.position::text || u.weight, ',') as list from unnest(w.positions, w.weights) u (position, weight)
    ) p,
    generate_series(2, char_length(w.lexeme)) i
  where char_length(w.lexeme) <= 12 and substr(w.lexeme, i, 1) ~ '[가-힣]'
), ''))::tsvector
where e.search::text ~ '[가-힣]';
