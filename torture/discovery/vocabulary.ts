/** Values of random events and queries. They are few, so that queries often match events, and often at their bounds. */
import type { Random } from '../../test/support/random.ts';

const vocabulary = [
  ...['jazz', 'jazzy', 'JAZZ', 'Jazz-Abend', 'piano', 'picnic', 'pi', 'pizza', 'Zürich', 'zurich', 'Straße'],
  ...[
    'strasse',
    'öl',
    'ol',
    'école',
    'Łódź',
    'Øresund',
    '東京',
    '東京都',
    '大阪城',
    'すし',
    '寿司屋',
    'กรุงเทพ',
    'обед',
  ],
  ...['Обеды', 'عشاء', 'a', 'a1', '1', '2040', 'ﬁnale', '𝔘nicode', '𝟙', '❤️', "d'or", 'C++', 'é', 'ab', 'abc'],
  'w'.repeat(59),
  'w'.repeat(64),
];

export const randomText = (random: Random, min: number, max: number): string =>
  Array.from({ length: min + random.below(max - min + 1) }, () => random.pick(vocabulary)).join(' ');

/** Mostly starts of words, of one to all characters. */
export const randomSearch = (random: Random): string =>
  Array.from({ length: random.pick([1, 1, 1, 2, 2, 3, 20]) }, () => {
    const word = [...random.pick(vocabulary)];
    return random.next() < 0.5 ? word.join('') : word.slice(0, 1 + random.below(word.length)).join('');
  })
    .join(random.pick([' ', '  ', '-']))
    .slice(0, 200)
    .toWellFormed();

export const categories = ['music', 'food', 'sports'];

export type Place = { lat: number; lng: number };

const centres = [
  [47.37, 8.54],
  [0, 179.9],
  [-45, -180],
  [89.9, 0],
  [-90, 0],
  [0, 0],
] as const;

/** Mostly near a few centres, among them the poles and the antimeridian. */
export function randomPlace(random: Random): Place {
  const [lat, lng] = random.pick(centres);
  const spread = random.pick([0, 0.001, 0.5, 2, 90]);
  const moved = lng + (random.next() * 2 - 1) * spread * 2;
  return {
    lat: Math.max(-90, Math.min(90, lat + (random.next() * 2 - 1) * spread)),
    lng: moved > 180 ? moved - 360 : moved < -180 ? moved + 360 : moved,
  };
}

export const hourMs = 3_600_000;
const [base, earliest, last] = [Date.UTC(2040, 0, 1), Date.UTC(1900, 0, 1), Date.UTC(9999, 11, 31, 22)];

/** Mostly whole hours of twenty days; some are in the past, or in the first and the last years that are valid. */
export function randomStart(random: Random): number {
  const hours = random.below(24 * 20) * hourMs;
  const kind = random.next();
  if (kind < 0.05) return earliest + hours;
  if (kind < 0.1) return last - hours;
  return kind < 0.2 ? Date.UTC(2020, 0, 1) + hours : base + hours;
}

export const randomEnd = (random: Random, start: number): number =>
  Math.min(start + random.pick([1 / 3_600, 1, 5, 24, 24 * 10, 24 * 366]) * hourMs, last + hourMs);
