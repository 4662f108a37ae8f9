import { minId } from '#base';
import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { belongsToAudience, isOrganizer } from '../../events/audience.ts';
import { SeriesParams } from '../../events/schemas.ts';
import { requireVisibleSeries } from '../../events/series/visible-series.ts';
import type { EventServices } from '../../events/services.ts';
import { toFoundUser } from '../../people/present.ts';
import { SeriesQuery } from '../schemas.ts';
import {
  isGuestOfSeries,
  listSeriesGuests as list,
  listNextDates,
  type SeriesGuestRow,
} from './people-of-series.ts';
import { type SeriesGuest, SeriesGuestList } from './schemas.ts';

export const listSeriesGuests = defineEndpoint({
  method: 'GET',
  path: '/v1/series/:id/guests',
  summary: 'List the guests of a series with their answers to the next dates',
  description:
    'People with an RSVP to the series or to one of its next 12 scheduled dates, by the age of their accounts; for the organizer and ' +
    'admins also invited people who have not answered. `guestListVisibility` of the series decides who may list them: a guest is who ' +
    'has answered the series, or is a guest of a coming date. People and RSVPs are left out as in the guest lists of events.',
  caller: 'optional',
  uncached: true,
  params: SeriesParams,
  query: SeriesQuery,
  response: { 200: SeriesGuestList },
  compressed: 'text',
  problems: ['series_not_found', 'guest_list_private'],

  async handler({ caller, params, query }, { db, clock, config }: EventServices) {
    const [after = minId] = readCursor(query.cursor, 'id') ?? [];
    const now = clock();
    const series = await requireVisibleSeries(db, readId(params.id, 'series_not_found'), caller);
    const { guestListVisibility } = series.fields;
    const isGuest = ({ userId }: { userId: string }) => isGuestOfSeries(db, series.id, userId, now);
    if (!(await belongsToAudience(guestListVisibility, series, caller, isGuest)))
      throw new Problem('guest_list_private');
    const dates = await listNextDates(db, series.id, caller, now);
    const found = await list(db, {
      ...{ seriesId: series.id, dates, viewer: caller, seesAll: isOrganizer(series, caller) },
      ...{ after, limit: query.limit + 1 },
    });
    const { rows, nextCursor } = toPage(found, query.limit, ({ id }) => [id]);
    const data = rows.map((row) => toSeriesGuest(row, dates, config.publicUrl));
    return { status: 200, body: { data, nextCursor } };
  },
});

const toSeriesGuest = (row: SeriesGuestRow, dates: string[], publicUrl: string): SeriesGuest => ({
  user: toFoundUser(row, publicUrl),
  standing: row.standing,
  answers: dates.map((eventId, i) => {
    const answer = row.answers[i];
    return { eventId, status: answer?.status ?? null, extraGuests: answer?.extraGuests ?? 0 };
  }),
});
