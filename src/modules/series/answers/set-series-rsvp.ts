import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { readId } from '../../../lib/ids.ts';
import { readAsk } from '../../attendance/requests/schemas.ts';
import { answerSeries } from '../../attendance/series/answer-series.ts';
import type { AttendanceServices } from '../../attendance/services.ts';
import { SeriesParams } from '../../events/schemas.ts';
import { NewSeriesRsvp, SeriesRsvpResult } from './schemas.ts';

export const setSeriesRsvp = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/series/:id/rsvp',
  summary: 'Set or remove your RSVP to all dates of a series',
  description:
    'Sets the RSVP to each coming date that is neither cancelled nor past its `rsvpUntil`, and to each that is made later. An answer of ' +
    'the caller to a date itself, also one with null, is kept. It books no seats. Where `rsvpApproval` is `organizer`, people without an ' +
    'invitation or approval ask to join all dates: the same body with `ask`.',
  caller: 'fresh',
  params: SeriesParams,
  body: NewSeriesRsvp,
  response: { 200: SeriesRsvpResult },
  problems: ['series_not_found', 'removed_from_event', 'approval_required', 'request_refused'],

  async handler({ caller, params, body }, services: AttendanceServices) {
    const id = readId(params.id, 'series_not_found');
    const answer = { ...body, ask: readAsk(body) };
    const result = await actAs(services.db, caller, (tx, caller) =>
      answerSeries(tx, services, caller, { id, answer }),
    );
    return { status: 200, body: result };
  },
});
