import type { Caller } from '../../identity/caller.ts';
import { isLive, type LiveSession } from '../../identity/sessions.ts';
import type { EventServices } from '../events/services.ts';
import type { CurrentCallers } from './topics.ts';

/**
 * Reads the sessions of subscribers again: a session may have ended, and a role changed, since their request.
 */
export async function readCurrentCallers(
  { changeLog, sessions, clock }: Pick<EventServices, 'changeLog' | 'sessions' | 'clock'>,
  subscribers: { caller: Caller | null }[],
): Promise<CurrentCallers> {
  const callers = subscribers.flatMap(({ caller }) => caller ?? []);
  if (callers.length === 0) return new Map();
  await changeLog.catchUp();
  const current: CurrentCallers = new Map();
  const now = clock();
  const add = (caller: Caller, session: LiveSession | null) => {
    const hasSession = session && isLive(session, { userId: caller.id, hash: caller.accessHash }, now);
    current.set(caller, hasSession ? { ...caller, role: session.role } : null);
  };
  const loading: Promise<void>[] = [];
  for (const caller of callers) {
    const session = sessions.findCached({ userId: caller.id, sessionId: caller.sessionId });
    // Most sessions are cached: the check saves one promise per subscriber and poll.
    if (session instanceof Promise) loading.push(session.then((loaded) => add(caller, loaded)));
    else add(caller, session);
  }
  await Promise.all(loading);
  return current;
}
