import type { Event } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export type CoverTheme = NonNullable<Event['coverTheme']>;

/** The names of the themes of drawn covers, in the order of the form. */
export const coverThemes: Record<CoverTheme, () => string> = {
  gingham: m.organizer_theme_gingham,
  tiles: m.organizer_theme_tiles,
  citrus: m.organizer_theme_citrus,
  leaves: m.organizer_theme_leaves,
  flowers: m.organizer_theme_flowers,
  sun: m.organizer_theme_sun,
  waves: m.organizer_theme_waves,
  moon: m.organizer_theme_moon,
  rainbow: m.organizer_theme_rainbow,
  bunting: m.organizer_theme_bunting,
  confetti: m.organizer_theme_confetti,
  quilt: m.organizer_theme_quilt,
};

/** A chosen theme looks the same for each event, so its picture needs no id of one. */
const anyEvent = '00000000-0000-0000-0000-000000000000';

/**
 * The address of a drawn cover.
 * @param theme empty: one that the category and the id of the event decide
 */
export const pictureOfTheme = (theme: string, category: string, eventId = anyEvent): string =>
  `/v1/events/${eventId}/cover.svg?category=${category || 'other'}${theme && `&theme=${theme}`}`;
