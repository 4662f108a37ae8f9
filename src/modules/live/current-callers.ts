import type { Caller } from '../../identity/caller.ts';
import { isLive, type LiveSession } from '../../identity/sessions.ts';
import type { EventServices } from '../events/services.ts';
import { listAreInvited } from '../events/standings.ts';
import type { LiveRow } from './repo.ts';
import { type Access, type CurrentCallers, invitedKey } from './topics.ts';

type Services = Pick<EventServices, 'db' | 'changeLog' | 'sessions' | 'clock'>;
type Subscription = { eventId: string; caller: Caller | null };

/** Reads what decides whether subscribers receive the states of events, whose rows have been read. */
export async function readAccess(
  services: Services,
  subscribers: Subscription[],
  rowOf: (eventId: string) => LiveRow | null,
): Promise<Access> {
  // Unknown events are looked up too: a private one takes as long.
  const keys = subscribers.flatMap(({ eventId, caller }) =>
    caller && (rowOf(eventId)?.visibility ?? 'private') === 'private' ? [{ eventId, userId: caller.id }] : [],
  );
  const [callers, areInvited] = await Promise.all([
    readCurrentCallers(services, subscribers),
    listAreInvited(services.db, keys),
  ]);
  const invited = keys.filter((_, i) => areInvited[i]);
  return { callers, invited: new Set(invited.map(({ eventId, userId }) => invitedKey(eventId, userId))) };
}

/**
 * Reads the sessions of subscribers again: a session may have ended, and a role changed, since their request.
 */
async function readCurrentCallers(
  { changeLog, sessions, clock }: Services,
  subscribers: Subscription[],
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
