import { setImmediate as nextTurn } from 'node:timers/promises';

/** In ms: work that takes longer lets other requests run in between. */
const maxTurnMs = 5;

/** Maps values one after another, and yields to the event loop every 5 ms. */
export async function mapInTurns<T, R>(values: Iterable<T>, map: (value: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  let turnStartedAt = performance.now();
  for (const value of values) {
    mapped.push(map(value));
    if (performance.now() - turnStartedAt < maxTurnMs) continue;
    await nextTurn();
    turnStartedAt = performance.now();
  }
  return mapped;
}
