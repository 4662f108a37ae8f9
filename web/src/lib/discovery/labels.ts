/** Names of the parts of a search in the visitor's language. */

import { categoryName } from '#lib/discovery/category-name.ts';
import { formatDay, formatKilometres } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { hrefOf, type Period, type Search } from './search.ts';
import { traits, withoutTrait } from './traits.ts';

export const periodName = (period: Period): string =>
  ({
    today: m.discovery_when_today,
    weekend: m.discovery_when_weekend,
    week: m.discovery_when_week,
    range: m.discovery_when_range,
  })[period]();

/** A filter of a search, and the address of the search without it. `short`: what is said where the rest is known. */
type Filter = { label: string; short?: string; href: string };

export function activeFilters(search: Search): Filter[] {
  const { q, category, when, from, to, isRunning, place, near, radius, box } = search;
  const filter = (label: string, without: Partial<Search>): Filter => ({
    label,
    href: hrefOf(search, without),
  });
  const filters: Filter[] = [];
  if (q) filters.push(filter(m.discovery_chip_words({ words: q }), { q: '' }));
  if (category) filters.push(filter(categoryName(category), { category: null }));
  if (when === 'range' && (from || to)) {
    filters.push(filter(formatRange(from, to), { when: null }));
  } else if (when && when !== 'range') filters.push(filter(periodName(when), { when: null }));
  for (const { trait, name } of traits)
    if (search.traits.includes(trait))
      filters.push(filter(name(), { traits: withoutTrait(search.traits, trait) }));
  if (isRunning) filters.push(filter(m.discovery_on_now(), { isRunning: false }));
  // On a part of the map that the visitor chose, the place gives the distances alone.
  if (near && !box) {
    const label = m.discovery_chip_near({
      distance: formatKilometres(radius),
      place: place || m.discovery_my_location(),
    });
    filters.push({ ...filter(label, { near: null, place: '' }), short: formatKilometres(radius) });
  }
  return filters;
}

function formatRange(from: string, to: string): string {
  const day = (text: string) => formatDay(`${text}T12:00:00Z`, 'UTC');
  if (from && to) return m.discovery_chip_between({ from: day(from), to: day(to) });
  return from ? m.discovery_chip_from({ from: day(from) }) : m.discovery_chip_until({ to: day(to) });
}
