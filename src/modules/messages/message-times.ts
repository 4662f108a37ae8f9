import { keyOfPair, type Pair } from '../people/relations/locks.ts';

/**
 * Assigns increasing times to the messages of each pair: the current time, or one millisecond after the last
 * message if that is later. Several messages may arrive in a millisecond, and the clocks of servers differ.
 * @param lastMessages the time of the last message of each pair that has messages
 * @returns gives the time of the next message of the pair with a key
 */
export function messageTimes(lastMessages: (Pair & { at: Date })[], now: Date): (pairKey: string) => Date {
  const last = new Map(lastMessages.map(({ at, ...pair }) => [keyOfPair(pair), at.getTime()]));
  return (pairKey) => {
    const at = Math.max(now.getTime(), (last.get(pairKey) ?? 0) + 1);
    last.set(pairKey, at);
    return new Date(at);
  };
}
