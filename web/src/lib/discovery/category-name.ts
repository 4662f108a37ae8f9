import { type CategorySlug, categories } from '#lib/discovery/search.ts';
import { m } from '#lib/messages/index.js';

// Each message is named here: a key made of the slug would send all messages to the browser.
const names = new Map<string, { emoji: string; name: () => string }>(
  Object.entries({
    music: { emoji: '🎵', name: m.category_music },
    food: { emoji: '🍲', name: m.category_food },
    sports: { emoji: '⚽', name: m.category_sports },
    outdoors: { emoji: '🌲', name: m.category_outdoors },
    arts: { emoji: '🎨', name: m.category_arts },
    film: { emoji: '🎬', name: m.category_film },
    games: { emoji: '🎲', name: m.category_games },
    family: { emoji: '🧸', name: m.category_family },
    learning: { emoji: '📚', name: m.category_learning },
    tech: { emoji: '💻', name: m.category_tech },
    community: { emoji: '🤝', name: m.category_community },
    party: { emoji: '🎉', name: m.category_party },
    wellbeing: { emoji: '🧘', name: m.category_wellbeing },
    other: { emoji: '✨', name: m.category_other },
  } satisfies Record<CategorySlug, { emoji: string; name: () => string }>),
);

/**
 * The name of a category in the visitor's language.
 * @param fallback for a category that this version has no translation of
 */
export const categoryName = (slug: string, fallback = slug): string => names.get(slug)?.name() ?? fallback;

/** The sign of a category, as the API has it (GET /v1/categories); empty for one that this version does not know. */
export const categoryEmoji = (slug: string): string => names.get(slug)?.emoji ?? '';

/** Too short for the name of anything; words such as “and” are in the names of several categories. */
const minWord = 3;

/**
 * The category that all words of a text name, in the visitor's language or in English; null for none and for several.
 * @param english the categories whose English names have words like these
 */
export function categoryNamed(
  text: string,
  english: readonly { slug: string; name: string }[],
): CategorySlug | null {
  const wanted = wordsOf(text);
  if (wanted.length === 0 || wanted.some(({ length }) => length < minWord)) return null;
  const englishNames = new Map(english.map(({ slug, name }) => [slug, name]));
  const [named, ...others] = categories.filter((slug) => {
    const words = [slug, categoryName(slug), englishNames.get(slug) ?? ''].flatMap(wordsOf);
    return slug !== 'other' && wanted.every((word) => words.includes(word));
  });
  return others.length === 0 ? (named ?? null) : null;
}

const wordsOf = (text: string): string[] =>
  text
    .toLocaleLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
