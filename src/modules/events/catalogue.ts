/** Categories, templates and modules of events. The lists are part of the API, so they are code and not a table. */

export const categories = [
  { slug: 'music', name: 'Music', emoji: '🎵' },
  { slug: 'food', name: 'Food & drink', emoji: '🍲' },
  { slug: 'sports', name: 'Sports', emoji: '⚽' },
  { slug: 'outdoors', name: 'Outdoors', emoji: '🌲' },
  { slug: 'arts', name: 'Arts & culture', emoji: '🎨' },
  { slug: 'film', name: 'Film', emoji: '🎬' },
  { slug: 'games', name: 'Games', emoji: '🎲' },
  { slug: 'family', name: 'Family & kids', emoji: '🧸' },
  { slug: 'learning', name: 'Learning', emoji: '📚' },
  { slug: 'tech', name: 'Technology', emoji: '💻' },
  { slug: 'community', name: 'Community', emoji: '🤝' },
  { slug: 'party', name: 'Party', emoji: '🎉' },
  { slug: 'wellbeing', name: 'Wellbeing', emoji: '🧘' },
  { slug: 'other', name: 'Other', emoji: '✨' },
] as const;

export const templates = [
  { slug: 'general', name: 'General' },
  { slug: 'potluck', name: 'Potluck dinner' },
  { slug: 'birthday', name: 'Birthday' },
  { slug: 'wedding', name: 'Wedding' },
  { slug: 'picnic', name: 'Picnic' },
  { slug: 'concert', name: 'Concert' },
  { slug: 'meetup', name: 'Meetup' },
  { slug: 'conference', name: 'Conference' },
] as const;

/** Parts of an event that its organizer can disable. */
export const modules = ['bringList', 'wishList', 'booking', 'guestRsvp', 'comments'] as const;
export type Module = (typeof modules)[number];
/** The module that an item of a kind belongs to. */
export const moduleOf = { bring: 'bringList', wish: 'wishList' } as const satisfies Record<string, Module>;

export type Category = (typeof categories)[number];
export type Template = (typeof templates)[number];
export const categorySlugs = categories.map((category) => category.slug);
export const templateSlugs = templates.map((template) => template.slug);

const categoryBySlug = new Map<string, Category>(categories.map((category) => [category.slug, category]));
const templateBySlug = new Map<string, Template>(templates.map((template) => [template.slug, template]));

/** Finds by slug. A slug that this version does not have gives the default: `other` or `general`. */
export const findCategory = (slug: string): Category =>
  categoryBySlug.get(slug) ?? categories[categories.length - 1] ?? never();
export const findTemplate = (slug: string): Template => templateBySlug.get(slug) ?? templates[0];

function never(): never {
  throw new Error('the list of categories is empty');
}
