/** Generates pronounceable words with the frequency distribution of natural languages. */
import { type Random, randomOf } from '../../test/support/random.ts';

const size = 20_000;
const onsets = 'b bl br d dr f fl g gl gr h k kl kr l m n p pl pr r s sk sl st t tr v'.split(' ');
const vowels = 'a e i o u ai ea io'.split(' ');
const codas = ['', '', '', 'l', 'n', 'r', 's', 'm', 'nd', 'rt'];
/** The words that the benchmark searches; no generated word starts with one of them. */
export const planted = { jazz: 0.05, quartet: 0.003, theremin: 0.0001 } as const;

const syllable = (random: Random) => random.pick(onsets) + random.pick(vowels) + random.pick(codas);

function makeWords(): string[] {
  const random = randomOf(1);
  const found = new Set<string>();
  while (found.size < size) {
    // Common words are short.
    const syllables = 1 + random.below(found.size < 200 ? 2 : 3);
    const word = Array.from({ length: syllables }, () => syllable(random)).join('');
    if (!Object.keys(planted).some((reserved) => word.startsWith(reserved))) found.add(word);
  }
  return [...found];
}

const words = makeWords();

/** Picks a word by Zipf's law: the word of rank r is about 1/r as frequent as the first. */
export function commonWord(random: Random): string {
  const rank = Math.floor(Math.exp(random.next() * Math.log(size + 1))) - 1;
  return words[Math.min(rank, size - 1)] ?? '';
}

export const phrase = (random: Random, count: number): string[] =>
  Array.from({ length: count }, () => commonWord(random));

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Inserts planted words into an event's texts; a fifth of them into the title.
 * @param title changed in place, as is `description`
 */
export function plant(random: Random, title: string[], description: string[]): void {
  for (const [word, share] of Object.entries(planted)) {
    if (random.next() >= share) continue;
    const text = random.next() < 0.2 ? title : description;
    text.splice(random.below(text.length + 1), 1, word);
  }
}
