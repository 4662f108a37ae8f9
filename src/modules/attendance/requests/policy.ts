/** Decides what becomes of a request when an organizer approves or refuses it. */

import { dayMs } from '#base';
import { Problem } from '../../../lib/errors.ts';
import type { EventRow } from '../../events/present.ts';
import type { ExistingRequest, RequestRow } from './repo.ts';

/**
 * A refused request can be approved. An approval cannot be taken back: the organizer removes the guest.
 * @param request null if the person has none
 * @returns whether anything changes; or why the decision is refused
 */
export function decideRequest(
  decision: 'approved' | 'refused',
  event: Pick<EventRow, 'status'>,
  request: Pick<RequestRow, 'status'> | null,
): boolean | Problem {
  if (!request) return new Problem('request_not_found');
  if (request.status === decision) return false;
  if (request.status === 'approved') return new Problem('request_not_found');
  return decision === 'approved' && event.status === 'cancelled' ? new Problem('event_cancelled') : true;
}

/** How long a person who was refused has to wait. */
const refusedMs = dayMs;

/** Whether a person may not ask again yet. @param request null if the person has none */
export const isRefused = (request: ExistingRequest | null, now: Date): boolean =>
  request?.refusedAt != null && now.getTime() < request.refusedAt.getTime() + refusedMs;
