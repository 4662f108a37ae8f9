/** Generates the conversations and messages. Every person has the same number of conversations. */

import { randomOf } from '../../test/support/random.ts';
import { idOf, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { capitalised, phrase } from './vocabulary.ts';

/** The differences between the numbers of the two people of a conversation. */
const distances = [1, 5_000] as const;
const maxMessages = 30;
const minuteMs = 60_000;

const shiftUser = (n: number, by: number) => 1 + ((n - 1 + by + userCount) % userCount);
/** The people with whom a person has conversations, and the numbers of the conversations. */
const othersOf = (n: number) =>
  distances
    .flatMap((by, i) => [
      { other: shiftUser(n, by), pair: n * distances.length + i, isFirst: true },
      { other: shiftUser(n, -by), pair: shiftUser(n, -by) * distances.length + i, isFirst: false },
    ])
    .sort((a, b) => a.other - b.other);

/** One person with whom the given person has a conversation. */
export const correspondentOf = (n: number): number => shiftUser(n, distances[0]);

/** Up to 30 messages in the first conversation of each person, one in the other. */
const countOf = (pair: number) =>
  pair % distances.length === 0 ? 1 + Math.floor(randomOf(pair * 13 + 7).next() ** 3 * maxMessages) : 1;
/** Increases within a conversation. */
const messageId = (pair: number, k: number) => idOf('message', pair * maxMessages + k);

/** A pool of texts, because generating one for each message would be slow. */
function makeTexts(): string[] {
  const random = randomOf(9);
  return Array.from({ length: 2_003 }, () => capitalised(phrase(random, 2 + random.below(14)).join(' ')));
}

export function messageTables(day: Date): Table[] {
  const texts = makeTexts();
  let messages = 0;
  for (let n = 1; n <= userCount; n++)
    for (const { pair, isFirst } of othersOf(n)) if (isFirst) messages += countOf(pair);

  function* conversations(): Generator<Row> {
    for (let n = 1; n <= userCount; n++) {
      for (const { other, pair } of othersOf(n)) {
        const last = messageId(pair, countOf(pair) - 1);
        yield [idOf('user', n), idOf('user', other), last, last, 0];
      }
    }
  }
  function* copies(): Generator<Row> {
    for (let n = 1; n <= userCount; n++) {
      for (const { other, pair, isFirst } of othersOf(n)) {
        for (let k = 0; k < countOf(pair); k++) {
          const text = texts[(pair * 31 + k) % texts.length] ?? '';
          const at = new Date(day.getTime() - (countOf(pair) - k) * minuteMs).toISOString();
          yield [
            idOf('user', n),
            idOf('user', other),
            messageId(pair, k),
            (k % 2 === 0) === isFirst,
            text,
            at,
          ];
        }
      }
    }
  }
  return [
    {
      name: 'conversations',
      columns: 'user_id, other_id, last_id, read_id, unread_count',
      count: userCount * distances.length * 2,
      rows: conversations,
    },
    {
      name: 'messages',
      columns: 'user_id, other_id, id, is_own, text, created_at',
      count: messages * 2,
      rows: copies,
    },
  ];
}
