import type { CategorySlug } from '#lib/discovery/search.ts';
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
