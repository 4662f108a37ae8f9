import { minuteMs, utcDay } from '#base';
import { Problem } from '../../lib/errors.ts';
import { quotaExceeded } from '../../quotas/daily-quotas.ts';
import type { SendingWindow } from './repo.ts';

/** The messages of one sender. 0: no limit. */
export type MessageLimits = { perMinute: number; perDay: number };

/** Whether messages are counted at all. */
export const isLimited = ({ perMinute, perDay }: MessageLimits): boolean => perMinute > 0 || perDay > 0;

/**
 * Limits the messages of each sender in a minute, which begins with the sender's first message, and in a day of UTC.
 * @returns `changed`: the windows in which messages were counted, by sender; they must be written back. `count` counts a
 *   message, and returns a Problem `too_many_requests` or `quota_exceeded` if a limit is reached; then nothing is counted
 */
export function limitMessages(windows: SendingWindow[], limits: MessageLimits, now: Date) {
  const read = new Map(windows.map((window) => [window.userId, window]));
  const changed = new Map<string, SendingWindow>();

  function count(userId: string): Problem | null {
    if (!isLimited(limits)) return null;
    const window = changed.get(userId) ?? read.get(userId);
    const leftMs = window ? window.since.getTime() + minuteMs - now.getTime() : 0;
    const { since, sent } = window && leftMs > 0 ? window : { since: now, sent: 0 };
    if (limits.perMinute > 0 && sent >= limits.perMinute)
      return new Problem('too_many_requests', { retryAfter: Math.ceil(leftMs / 1000) });
    const { day, sentOnDay } = dayOf(window, utcDay(now));
    if (limits.perDay > 0 && sentOnDay >= limits.perDay) return quotaExceeded('messages', limits.perDay, now);
    changed.set(userId, { userId, since, sent: sent + 1, day, sentOnDay: sentOnDay + 1 });
    return null;
  }
  return { changed, count };
}

/** A server whose clock is behind at midnight counts towards the day that another server has begun. */
function dayOf(window: SendingWindow | undefined, today: string): { day: string; sentOnDay: number } {
  return window?.day && window.day >= today
    ? { day: window.day, sentOnDay: window.sentOnDay }
    : { day: today, sentOnDay: 0 };
}
