/**
 * Divides long work among the turns of the event loop. All such work of the process together takes at most 5 ms of a turn;
 * the rest waits for the next one, where the work that has waited longest comes first. So the requests of one client that
 * need much work delay every other request by one such time in each turn, however many of them run at once.
 */

const maxTurnMs = 5;

/** When the work of this turn began; null while there was none. */
let turnStartedAt: number | null = null;
const waiting: (() => void)[] = [];

/**
 * Maps values one after another, in as many turns of the event loop as it takes.
 * @throws the error of `map`
 */
export async function mapInTurns<T, R>(values: Iterable<T>, map: (value: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  try {
    for (const value of values) {
      if (isTurnOver()) await new Promise<void>((resolve) => waiting.push(resolve));
      mapped.push(map(value));
    }
  } finally {
    // Other work has what is left of the turn.
    waiting.shift()?.();
  }
  return mapped;
}

/** Runs one piece of work, which cannot be divided, when a turn has time for it. */
export async function runInTurn<R>(work: () => R): Promise<R> {
  const [result] = await mapInTurns([work], (run) => run());
  return result as R;
}

function isTurnOver(): boolean {
  if (turnStartedAt === null) {
    turnStartedAt = performance.now();
    setImmediate(beginTurn);
  }
  return performance.now() - turnStartedAt >= maxTurnMs;
}

function beginTurn(): void {
  turnStartedAt = null;
  waiting.shift()?.();
}
