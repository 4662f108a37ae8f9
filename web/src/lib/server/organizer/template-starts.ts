/** What a new event of a template begins with, besides the items that the API suggests. */
import { randomInt } from 'node:crypto';
import type { Event } from '@potluck/client';
import { type CoverTheme, pictureOfTheme } from '#lib/event/cover-themes.ts';

type Start = {
  /** The category that most events of the template have; empty for none. */
  category: string;
  visibility: Exclude<Event['visibility'], 'private'>;
  /** Themes of the drawn cover that suit it. The first stands for the template in the list of templates. */
  themes: readonly [CoverTheme, ...CoverTheme[]];
};

const other: Start = {
  category: '',
  visibility: 'public',
  themes: ['sun', 'waves', 'tiles', 'citrus', 'quilt', 'leaves'],
};

const starts: Record<string, Start> = {
  potluck: {
    category: 'food',
    visibility: 'public',
    themes: ['gingham', 'citrus', 'tiles', 'leaves', 'bunting', 'flowers'],
  },
  birthday: {
    category: 'party',
    visibility: 'unlisted',
    themes: ['confetti', 'bunting', 'rainbow', 'flowers', 'citrus', 'sun'],
  },
  wedding: {
    category: 'party',
    visibility: 'unlisted',
    themes: ['flowers', 'leaves', 'moon', 'bunting', 'tiles', 'sun'],
  },
  picnic: {
    category: 'outdoors',
    visibility: 'public',
    themes: ['leaves', 'gingham', 'sun', 'waves', 'flowers', 'citrus'],
  },
  concert: {
    category: 'music',
    visibility: 'public',
    themes: ['moon', 'confetti', 'quilt', 'tiles', 'waves', 'sun'],
  },
  meetup: {
    category: 'community',
    visibility: 'public',
    themes: ['tiles', 'bunting', 'quilt', 'rainbow', 'sun', 'leaves'],
  },
  conference: {
    category: 'tech',
    visibility: 'public',
    themes: ['quilt', 'tiles', 'waves', 'moon', 'leaves', 'sun'],
  },
};

const startOf = (template: string): Start => starts[template] ?? other;

/** The fields of the form. The theme is drawn here, and not by the id of the event, so that the form shows the cover. */
export function startValuesOf(template: string): {
  category: string;
  visibility: string;
  coverTheme: string;
} {
  const { themes, ...values } = startOf(template);
  return { ...values, coverTheme: themes[randomInt(themes.length)] ?? themes[0] };
}

/** Who may see an event of the template, if its organizer has not decided. */
export const visibilityOfTemplate = (template: string): Start['visibility'] => startOf(template).visibility;

export function coverOfTemplate(template: string): string {
  const { themes, category } = startOf(template);
  return pictureOfTheme(themes[0], category);
}
