/** What people wrote to each other: everybody with the same number of others. */
import { idOf, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { randomOf } from './random.ts';
import { capitalised, phrase } from './vocabulary.ts';

/** How much further the other's number is; nobody meets anybody twice. */
const distances = [1, 5_000] as const;
const mostMessages = 30;
const minuteMs = 60_000;

const later = (n: number, by: number) => 1 + ((n - 1 + by + userCount) % userCount);
/** With whom the person with this number wrote, by the numbers of the conversations. */
const othersOf = (n: number) =>
  distances
    .flatMap((by, i) => [
      { other: later(n, by), pair: n * distances.length + i, isFirst: true },
      { other: later(n, -by), pair: later(n, -by) * distances.length + i, isFirst: false },
    ])
    .sort((a, b) => a.other - b.other);

/** Somebody with whom this person has a conversation. */
export const correspondentOf = (n: number): number => later(n, distances[0]);

/** With the first many or few, with the others one. */
const countOf = (pair: number) =>
  pair % distances.length === 0 ? 1 + Math.floor(randomOf(pair * 13 + 7).next() ** 3 * mostMessages) : 1;
/** Rises within a conversation. */
const messageId = (pair: number, k: number) => idOf('message', pair * mostMessages + k);

/** Some, since making hundreds of thousands takes longer than writing them. */
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
