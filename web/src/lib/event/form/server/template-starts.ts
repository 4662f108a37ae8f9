/** What a new event of a template begins with, besides the items that the API suggests. */
import type { Event } from '@potluck/client';
import type { CoverTheme } from '#lib/event/form/cover-themes.ts';

type Start = {
  /** The category that most events of the template have; empty for none. */
  category: string;
  visibility: Exclude<Event['visibility'], 'private'>;
  /** Stands for the template in the list of templates. */
  emoji: string;
  /** Themes of the drawn cover that suit it. */
  themes: readonly [CoverTheme, ...CoverTheme[]];
};

const other: Start = {
  category: '',
  visibility: 'public',
  emoji: '✨',
  themes: ['sun', 'waves', 'tiles', 'citrus', 'quilt', 'leaves'],
};

const starts: Record<string, Start> = {
  potluck: {
    category: 'food',
    visibility: 'public',
    emoji: '🍲',
    themes: ['gingham', 'citrus', 'tiles', 'leaves', 'bunting', 'flowers'],
  },
  birthday: {
    category: 'party',
    visibility: 'unlisted',
    emoji: '🎂',
    themes: ['confetti', 'bunting', 'rainbow', 'flowers', 'citrus', 'sun'],
  },
  wedding: {
    category: 'party',
    visibility: 'unlisted',
    emoji: '💍',
    themes: ['flowers', 'leaves', 'moon', 'bunting', 'tiles', 'sun'],
  },
  picnic: {
    category: 'outdoors',
    visibility: 'public',
    emoji: '🧺',
    themes: ['leaves', 'gingham', 'sun', 'waves', 'flowers', 'citrus'],
  },
  concert: {
    category: 'music',
    visibility: 'public',
    emoji: '🎸',
    themes: ['moon', 'confetti', 'quilt', 'tiles', 'waves', 'sun'],
  },
  meetup: {
    category: 'community',
    visibility: 'public',
    emoji: '🤝',
    themes: ['tiles', 'bunting', 'quilt', 'rainbow', 'sun', 'leaves'],
  },
  conference: {
    category: 'tech',
    visibility: 'public',
    emoji: '🎤',
    themes: ['quilt', 'tiles', 'waves', 'moon', 'leaves', 'sun'],
  },
};

const startOf = (template: string): Start => starts[template] ?? other;

/** The fields of the form. The theme is drawn here, and not by the id of the event, so that the form shows the cover. */
export function startValuesOf(
  template: string,
  key: string,
): { category: string; visibility: string; coverTheme: string } {
  const { themes, category, visibility } = startOf(template);
  return { category, visibility, coverTheme: themes[digitsOf(key) % themes.length] ?? themes[0] };
}

/** The same for a form at each choice of a template, so that a template that is chosen again has the cover of before. */
const digitsOf = (key: string): number => Number.parseInt(key.slice(0, 8), 16);

export const emojiOfTemplate = (template: string): string => startOf(template).emoji;

/** Who may see an event of the template, if its organizer has not decided. */
export const visibilityOfTemplate = (template: string): Start['visibility'] => startOf(template).visibility;
