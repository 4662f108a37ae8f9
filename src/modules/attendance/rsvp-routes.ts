import { createWriteBatcher } from '../../db/batching.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { route } from '../../http/route.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { setSaved } from '../events/repo.ts';
import { Answer, Answered, EventParams, Save, Saved } from '../events/schemas.ts';
import { type Ask, applyRsvps, type Count, keyOf } from './rsvps.ts';

/** What people say of an event: RSVP and save. */
export function eventAnswerRoutes(app: App, { db, clock }: Deps): void {
  const answer = createWriteBatcher<Ask, Count>(
    (asks, mayWaitForLocks) => applyRsvps(db, asks, clock(), mayWaitForLocks),
    {
      keyOf,
    },
  );

  // Spec 4.12
  app.post(
    '/v1/events/:id/rsvp',
    route({
      name: 'answerEvent',
      access: 'required',
      verifiesCaller: true,
      tag: 'Events',
      summary: 'Answer an event, or take the answer back',
      description: 'Leaving `going` keeps the claims; give them back one by one.',
      params: EventParams,
      body: Answer,
      response: { 200: Answered },
      problems: ['event_not_found', 'event_cancelled'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const eventId = readId(request.params.id, 'event_not_found');
      const { status } = request.body;
      const { rsvpCount } = await answer({ eventId, viewer, status });
      return { myRsvp: status, rsvpCount };
    },
  );

  // Spec 4.13
  app.post(
    '/v1/events/:id/save',
    route({
      name: 'saveEvent',
      access: 'required',
      tag: 'Events',
      summary: 'Save an event for later, or drop it',
      description: '`saved: false` removes it from the saved events. Repeating the request changes nothing.',
      params: EventParams,
      body: Save,
      response: { 200: Saved },
      problems: ['event_not_found'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      const { saved } = request.body;
      if (!(await actAs(db, viewer, (tx) => setSaved(tx, id, viewer, saved, clock())))) {
        throw new Problem('event_not_found');
      }
      return { isSaved: saved };
    },
  );
}
