import { Problem } from '../../lib/errors.ts';
import { minuteMs } from '../../lib/time.ts';
import type { SendingWindow } from './repo.ts';

/**
 * Limits the messages of each sender in a minute, which begins with the sender's first message.
 * @param max messages of a sender in a minute; 0: no limit
 * @returns `changed`: the windows in which messages were counted, by sender; they must be written back. `count` counts a
 *   message, and returns a Problem `too_many_requests` if the limit is reached; then nothing is counted
 */
export function limitMessages(windows: SendingWindow[], max: number, now: Date) {
  const read = new Map(windows.map((window) => [window.userId, window]));
  const changed = new Map<string, SendingWindow>();

  function count(userId: string): Problem | null {
    if (max === 0) return null;
    const window = changed.get(userId) ?? read.get(userId);
    const leftMs = window ? window.since.getTime() + minuteMs - now.getTime() : 0;
    const { since, sent } = window && leftMs > 0 ? window : { since: now, sent: 0 };
    if (sent >= max) return new Problem('too_many_requests', { retryAfter: Math.ceil(leftMs / 1000) });
    changed.set(userId, { userId, since, sent: sent + 1 });
    return null;
  }
  return { changed, count };
}
