/** The items that templates suggest. They are part of the API, so they are code and not a table. */
import type { Template } from '../events/catalogue.ts';
import type { Kind, SuggestedItem } from './schemas.ts';

const itemOf =
  (kind: Kind) =>
  (emoji: string, title: string, quantityNeeded: number): SuggestedItem => ({
    title,
    kind,
    quantityNeeded,
    emoji,
  });
const bring = itemOf('bring');
const wish = itemOf('wish');

export const suggestedItems: Record<Template['slug'], SuggestedItem[]> = {
  general: [bring('🥨', 'Snacks', 3), bring('🥤', 'Drinks', 4), bring('🍽️', 'Plates and cups', 1)],
  potluck: [
    bring('🍲', 'Main dish', 4),
    bring('🥗', 'Salad or side dish', 4),
    bring('🧀', 'Starter', 2),
    bring('🍞', 'Bread', 2),
    bring('🍰', 'Dessert', 3),
    bring('🥤', 'Drinks', 4),
    bring('🍽️', 'Plates and cutlery', 2),
  ],
  birthday: [
    bring('🎂', 'Birthday cake', 1),
    bring('🥨', 'Snacks', 4),
    bring('🥤', 'Drinks', 4),
    bring('🎈', 'Decoration', 2),
    bring('🎶', 'Loudspeaker', 1),
    wish('🎁', 'Share of a joint present', 10),
  ],
  wedding: [
    bring('🍰', 'Cake for the buffet', 5),
    bring('💐', 'Flowers for the tables', 6),
    bring('📷', 'Camera', 2),
    bring('🎤', 'Speech or song', 4),
    wish('🍽️', 'Dinner plate', 12),
    wish('🛏️', 'Bed linen', 2),
    wish('🧳', 'Share of the honeymoon', 20),
  ],
  picnic: [
    bring('🧺', 'Picnic blanket', 4),
    bring('🥪', 'Sandwiches', 4),
    bring('🥗', 'Salad', 3),
    bring('🍉', 'Fruit', 3),
    bring('🍪', 'Cake or biscuits', 2),
    bring('🥤', 'Drinks', 5),
    bring('🏐', 'Ball or game', 2),
  ],
  concert: [
    bring('🚗', 'Seat in a car', 8),
    bring('👂', 'Earplugs', 10),
    bring('🥤', 'Drinks', 4),
    bring('🥨', 'Snacks', 3),
    bring('🧰', 'Help with the stage', 4),
  ],
  meetup: [
    bring('🎤', 'Short talk', 3),
    bring('🍕', 'Pizza', 5),
    bring('🥤', 'Drinks', 6),
    bring('🍪', 'Biscuits', 3),
    bring('🔌', 'Extension lead', 2),
  ],
  conference: [
    bring('🎤', 'Talk', 8),
    bring('📋', 'Hour at the reception', 6),
    bring('🥐', 'Breakfast pastries', 4),
    bring('☕', 'Coffee and tea', 3),
    bring('🔌', 'Extension lead', 6),
    bring('🎥', 'Video camera', 2),
  ],
};
