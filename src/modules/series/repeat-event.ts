import { newId } from '#base';
import { sql } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { recordEventChanges } from '../events/event-writes.ts';
import { findExactPlace } from '../events/exact-place.ts';
import { requireOwnEvent } from '../events/require-own-event.ts';
import { EventParams } from '../events/schemas.ts';
import { seriesFieldsOf } from '../events/series/repo.ts';
import { formatDate } from '../events/series/schedule.ts';
import type { EventServices } from '../events/services.ts';
import { listItems, toNewItem } from '../items/repo.ts';
import { maxActive, requireRoom } from './policy.ts';
import { readerOf, seriesPresenter } from './present.ts';
import { readSchedule } from './read-series.ts';
import { maxDates, maxSeriesItems, Repetition, Series } from './schemas.ts';
import { startSeries } from './start-series.ts';

export const repeatEvent = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/repeat',
  summary: 'Make an event the first of a series',
  description:
    'For its organizer and admins. The event keeps its answers, items and claims; the following occurrences have its fields and items, ' +
    `of these the first ${maxSeriesItems}. The organizer has at most ${maxActive} series that have not ended.`,
  caller: 'fresh',
  retry: 'idempotent',
  createdHeaders: ['Location'],
  params: EventParams,
  body: Repetition,
  response: { 201: Series },
  problems: [
    ...(['event_not_found', 'not_organizer', 'already_series', 'event_cancelled', 'event_over'] as const),
    ...(['event_hidden', 'series_full'] as const),
  ],
  limits: { turns: 'heavy', maxBodyValues: 2 * (1 + maxDates) + 10 },

  async handler({ caller, params, body, idempotency, request }, services: EventServices) {
    const { clock } = services;
    const eventId = readId(params.id, 'event_not_found');
    const reader = await readerOf(services, request, caller);
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const event = await requireOwnEvent(tx, eventId, caller);
      const now = clock();
      if (event.seriesId !== null) throw new Problem('already_series');
      if (event.status === 'cancelled') throw new Problem('event_cancelled');
      if (event.endAt <= now) throw new Problem('event_over');
      // Further dates would be public in the place of the event that an admin hides.
      if (event.hidden) throw new Problem('event_hidden');
      const schedule = readSchedule(event, body, 'startAt');
      const { organizerId } = event;
      await tx.query(sql`select 1 from users where id = ${organizerId} for key share`);
      await requireRoom(tx, organizerId, now);
      const items = (await listItems(tx, [eventId])).slice(0, maxSeriesItems).map(toNewItem);
      const exactPlace = event.isAddressHidden ? await findExactPlace(tx, eventId) : null;
      const series = {
        ...{ id: newId(), organizerId, schedule, fields: seriesFieldsOf({ ...event, exactPlace }), items },
        ...{ status: 'active' as const, createdAt: now },
      };
      const date = formatDate(schedule.first, schedule.allDay);
      const occurrence = { seriesId: series.id, seriesDate: date };
      const update = { before: { ...event, exactPlace }, fields: { ...event, exactPlace }, occurrence };
      await recordEventChanges(tx, await startSeries(tx, series, { joining: [{ date, update }] }, now));
      const present = await seriesPresenter(tx, [series], reader);
      return {
        status: 201 as const,
        body: present(series),
        headers: { location: `/v1/series/${series.id}` },
      };
    });
  },
});
