import { newId } from '#base';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { withDefaults } from '../events/event-rules.ts';
import { recordEventChanges } from '../events/event-writes.ts';
import { toStored } from '../events/exact-place.ts';
import { withChosenCover } from '../events/present.ts';
import { loadShownPlaces } from '../events/public-place.ts';
import { seriesFieldsOf } from '../events/series/repo.ts';
import type { EventServices } from '../events/services.ts';
import { maxActive, requireRoom } from './policy.ts';
import { readerOf, seriesPresenter } from './present.ts';
import { inside, readSchedule } from './read-series.ts';
import { maxSeriesValues, NewSeries, Series } from './schemas.ts';
import { startSeries } from './start-series.ts';

export const createSeries = defineEndpoint({
  method: 'POST',
  path: '/v1/series',
  summary: 'Create a series of events',
  description:
    'Its occurrences are events of their own, each with its RSVPs, items, claims and comments. They exist for 13 months ahead, at most ' +
    '60 and at least two; the following ones are made as time passes. `startAt` of the event is the first date, and must be a date of ' +
    'the rule. Dates have its wall-clock time. A series counts as one event towards the daily limit, and its items once. A person has ' +
    `at most ${maxActive} series that have not ended.`,
  caller: 'fresh',
  retry: 'idempotent',
  createdHeaders: ['Location'],
  body: NewSeries,
  response: { 201: Series },
  problems: ['series_full', 'item_list_full', 'quota_exceeded'],
  limits: { turns: 'heavy', maxBodyValues: maxSeriesValues },

  async handler({ caller, body, idempotency, request }, services: EventServices) {
    const { clock, config } = services;
    const shownPlace = await loadShownPlaces(body.event);
    const fields = inside('event', () =>
      toStored(withDefaults(withChosenCover(body.event, config.publicUrl), shownPlace), shownPlace),
    );
    const schedule = readSchedule(fields, body, 'event.startAt');
    const items = body.items ?? [];
    const reader = await readerOf(services, request, caller);
    return runIdempotent(services, caller, idempotency, async (tx) => {
      const now = clock();
      await countTowardsQuota(tx, services, caller.id, 'events');
      await countTowardsQuota(tx, services, caller.id, 'items', items.length);
      await requireRoom(tx, caller.id, now);
      const series = {
        ...{ id: newId(), organizerId: caller.id, schedule, fields: seriesFieldsOf(fields), items },
        ...{ status: 'active' as const, createdAt: now },
      };
      await recordEventChanges(tx, await startSeries(tx, series, { isNews: true }, now));
      const present = await seriesPresenter(tx, [series], reader);
      return {
        status: 201 as const,
        body: present(series),
        headers: { location: `/v1/series/${series.id}` },
      };
    });
  },
});
