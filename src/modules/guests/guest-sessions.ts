import type { FastifyRequest } from 'fastify';
import { dayMs } from '#base';
import type { Transaction } from '#pg';
import type { UnlockedCaller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { keptMs } from '../accounts/guests.ts';
import { openGuestSession, userAgentOf } from '../accounts/sessions/sessions.ts';
import type { EventRow } from '../events/present.ts';
import type { GuestServices } from './services.ts';

const tokenMs = 400 * dayMs;

/** Whether the guests of an event are erased, or will be by the next run of the job. */
export const hasForgotten = ({ endAt }: Pick<EventRow, 'endAt'>, now: Date): boolean =>
  endAt.getTime() + keptMs <= now.getTime();

type OpenedSession = { token: string; caller: UnlockedCaller; endsAt: Date };

/**
 * Opens a session of a person for an event: until guests of the event are erased, and for at most 400 days.
 * @throws Problem `event_over` if the guests of the event are erased, also where the job has not run yet
 */
export async function openAnswerSession(
  tx: Transaction,
  { clock }: Pick<GuestServices, 'clock'>,
  request: FastifyRequest,
  { event, ...person }: { id: string; hasAccount: boolean; event: Pick<EventRow, 'id' | 'endAt'> },
): Promise<OpenedSession> {
  const now = clock();
  if (hasForgotten(event, now)) throw new Problem('event_over');
  const endsAt = new Date(Math.min(event.endAt.getTime() + keptMs, now.getTime() + tokenMs));
  const session = { ...person, eventId: event.id, userAgent: userAgentOf(request) };
  return { ...(await openGuestSession(tx, session, { now, endsAt })), endsAt };
}
