import type { Transaction } from '#pg';
import { Problem } from '../../lib/errors.ts';
import type { PersonRow } from '../people/present.ts';
import { toCachedEvent } from './event-cache.ts';
import { serializeEvent } from './event-serializer.ts';
import { findExactPlace, withExactPlace } from './exact-place.ts';
import { toEvent } from './present.ts';
import { findEvent } from './repo.ts';
import { noViewerStateOfRecord } from './viewer-states.ts';

/** The response to the creation of an event by its organizer, for the transaction that inserted the event. */
export async function createdResponse(
  tx: Transaction,
  id: string,
  organizer: PersonRow | null,
  publicUrl: string,
) {
  const row = await findEvent(tx, id);
  if (!row) throw new Problem('event_not_found');
  const event = toCachedEvent(withExactPlace(row, row.isAddressHidden ? await findExactPlace(tx, id) : null));
  const viewer = { viewerState: noViewerStateOfRecord, isOrganizer: true };
  return {
    status: 201 as const,
    body: toEvent(event.row, organizer, viewer, publicUrl),
    headers: {
      location: `/v1/events/${id}`,
      etag: serializeEvent(event, organizer, viewer, publicUrl).etag,
    },
  };
}
