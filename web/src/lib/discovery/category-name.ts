import type { CategorySlug } from '#lib/discovery/search.ts';
import { m } from '#lib/messages/index.js';

// Each message is named here: a key made of the slug would send all messages to the browser.
const names = new Map<string, () => string>(
  Object.entries({
    music: m.category_music,
    food: m.category_food,
    sports: m.category_sports,
    outdoors: m.category_outdoors,
    arts: m.category_arts,
    film: m.category_film,
    games: m.category_games,
    family: m.category_family,
    learning: m.category_learning,
    tech: m.category_tech,
    community: m.category_community,
    party: m.category_party,
    wellbeing: m.category_wellbeing,
    other: m.category_other,
  } satisfies Record<CategorySlug, () => string>),
);

/**
 * The name of a category in the visitor's language.
 * @param fallback for a category that this version has no translation of
 */
export const categoryName = (slug: string, fallback = slug): string => names.get(slug)?.() ?? fallback;
