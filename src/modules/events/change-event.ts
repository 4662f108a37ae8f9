import type { FastifyRequest } from 'fastify';
import type { Transaction } from '#pg';
import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { ChangeMessage } from '../../outbox/notices.ts';
import { lockGuestsOf } from '../accounts/guests.ts';
import { deleteEvents } from './delete-events.ts';
import { toCachedEvent } from './event-cache.ts';
import type { EventFields } from './event-fields.ts';
import {
  applyChange,
  requireCapacity,
  requireNotice,
  requirePrivate,
  versionOfEvent,
} from './event-rules.ts';
import { serializeEvent, withOutcome } from './event-serializer.ts';
import { findExactPlace, toStored, withExactPlace } from './exact-place.ts';
import { type EventRow, withChosenCover } from './present.ts';
import { loadShownPlaces } from './public-place.ts';
import { findEvent } from './repo.ts';
import { findOwnEvent, requireOwnEvent } from './require-own-event.ts';
import { ChangedEvent, DeletedEvents, EventChange, EventParams, ScopeQuery } from './schemas.ts';
import { changeOccurrences } from './series/change-occurrences.ts';
import { deleteOccurrences } from './series/delete-occurrences.ts';
import { ownFieldsAfter } from './series/own-fields.ts';
import type { EventServices } from './services.ts';
import { showPlace, versionAsEntered } from './show-places.ts';
import { updateEvent as updateRow } from './update-events.ts';

const ofScope =
  'Of a series, `scope` says which occurrences: `this`, `following` (this and later ones) or `all`. A refusal for one refuses all.';

const common = {
  path: '/v1/events/:id',
  caller: 'fresh',
  etag: 'ifMatch',
  params: EventParams,
} as const;

export const updateEvent = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change or cancel an event',
  description:
    'For its organizer and admins. Fields that are left out do not change; `status: cancelled` cancels the event. ' +
    'A higher `capacity` books people of the waitlist. `message` stands in the notification of the change, and in no record. ' +
    '`inviteGuests` invites the people who answered an event that becomes private; it tells nobody. ' +
    `${ofScope} Fields that were changed for one occurrence stay; \`keptOwn\` lists these occurrences. \`following\` makes a series of ` +
    'its own of the later ones. Occurrences that have ended never change.',
  query: ScopeQuery,
  body: EventChange,
  response: { 200: ChangedEvent },
  problems: ['event_not_found', 'not_organizer', 'capacity_below_booked', 'invitations_full'],

  async handler({ caller, params, query, body, request }, services: EventServices) {
    const { db, clock, people, viewerStates, config } = services;
    const id = readId(params.id, 'event_not_found');
    const { message: text = null, inviteGuests = false, ...sent } = body;
    const { scope = 'this' } = query;
    const now = clock();
    const { row, ...outcome } = await actAs(db, caller, async (tx, caller) => {
      const change = withChosenCover(sent, config.publicUrl);
      const message = text === null ? null : { authorId: caller.id, text };
      const prepare = async (before: EventRow, fields: EventFields) => {
        if (inviteGuests) await inviteGuestsOf(tx, services, { before, fields, callerId: caller.id, now });
        await restoreDate(tx, services, before, fields, now);
      };
      const outcome =
        scope === 'this'
          ? await changeOne(tx, caller, request, { id, change, message, now }, prepare)
          : await changeOccurrences(tx, caller, request, { id, scope, change, message, now }, prepare);
      return { row: await findEvent(tx, id), ...outcome };
    });
    if (!row) throw new Problem('event_not_found');
    const [organizer, viewerState] = await Promise.all([
      people.find(row.organizerId),
      viewerStates.find({ eventId: row.id, userId: caller.id }),
    ]);
    const viewer = { viewerState, isOrganizer: true };
    const event = await showPlace(db, toCachedEvent(row), caller);
    const { json, etag } = serializeEvent(event, organizer, viewer, config.publicUrl);
    return { statusCode: 200, json: withOutcome(json, outcome), headers: { etag } };
  },
});

type Change = { id: string; change: EventChange; message: ChangeMessage | null; now: Date };
/** Runs before an event is written. */
type Prepare = (before: EventRow, fields: EventFields) => Promise<void>;

/** Changes one event: of a series, this one alone. */
async function changeOne(
  tx: Transaction,
  caller: Caller,
  request: FastifyRequest,
  { id, change, message, now }: Change,
  prepare: Prepare,
): Promise<{ affected: number }> {
  const row = await requireOwnEvent(tx, id, caller);
  const exactPlace = row.isAddressHidden ? await findExactPlace(tx, id) : null;
  const entered = withExactPlace(row, exactPlace);
  requireMatch(request, versionOfEvent(entered));
  const shownPlace = await loadShownPlaces(row, change);
  const fields = toStored(applyChange(entered, change, shownPlace), shownPlace, exactPlace);
  const before = { ...row, exactPlace };
  requireCapacity(before, fields);
  requireNotice(before, fields, message?.text ?? null, now);
  await prepare(before, fields);
  const occurrence = before.seriesId === null ? {} : { ownFields: ownFieldsAfter(before, fields) };
  await updateRow(tx, { before, fields, occurrence }, now, message);
  return { affected: 1 };
}

/** Invites the people who answered an event that becomes private. */
async function inviteGuestsOf(
  tx: Transaction,
  { privacyHooks }: Pick<EventServices, 'privacyHooks'>,
  { before, fields, callerId, now }: { before: EventRow; fields: EventFields; callerId: string; now: Date },
): Promise<void> {
  requirePrivate(fields);
  const invited = { eventId: before.id, organizerId: before.organizerId, callerId, now };
  for (const hook of privacyHooks) await hook(tx, invited);
}

/** A date of a series that takes place again follows the answers to the series, which left it out while it was cancelled. */
async function restoreDate(
  tx: Transaction,
  { restoredDateHooks }: Pick<EventServices, 'restoredDateHooks'>,
  { id: eventId, seriesId, organizerId, status }: EventRow,
  fields: EventFields,
  now: Date,
): Promise<void> {
  if (seriesId === null || status !== 'cancelled' || fields.status !== 'scheduled' || fields.endAt <= now)
    return;
  for (const hook of restoredDateHooks) await hook(tx, { eventId, seriesId, organizerId, fields, now });
}

export const deleteEvent = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete an event with its items, claims, bookings, RSVPs and saves',
  description: `For its organizer and admins. ${ofScope}`,
  query: ScopeQuery,
  response: { 200: DeletedEvents },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query, request }, { db, clock }: EventServices) {
    const id = readId(params.id, 'event_not_found');
    const { scope = 'this' } = query;
    const affected = await actAs(db, caller, async (tx, caller) => {
      // Before the locks: a caller who may not delete the event takes none.
      const { seriesId } = await findOwnEvent(tx, id, caller);
      if (seriesId !== null || scope !== 'this')
        return await deleteOccurrences(tx, caller, request, { id, scope, now: clock() });
      await lockGuestsOf(tx, [id]);
      const event = await requireOwnEvent(tx, id, caller);
      requireMatch(request, await versionAsEntered(tx, event));
      await deleteEvents(tx, [event]);
      return 1;
    });
    return { status: 200, body: { success: true as const, affected } };
  },
});
