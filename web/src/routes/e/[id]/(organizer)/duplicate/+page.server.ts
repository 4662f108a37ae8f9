import { duplicateEvent, ProblemError } from '@potluck/client';
import { fail, redirect } from '@sveltejs/kit';
import type { FieldErrors } from '#lib/server/organizer/event-form.ts';
import { newKey, readEventForm, readTimes, valuesOfEvent } from '#lib/server/organizer/event-form.ts';
import { requireOwnEvent } from '#lib/server/organizer/require-own-event.ts';
import { problemText, toFormProblem } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ parent }) => {
  const { event } = await parent();
  const { allDay, startTime, endTime } = valuesOfEvent(event);
  return { values: { allDay, startDate: '', startTime, endDate: '', endTime, key: newKey() } };
};

export const actions: Actions = {
  default: async ({ request, locals, params, url }) => {
    const event = await requireOwnEvent(locals, params.id, url);
    const entered = { ...readEventForm(await request.formData()), startAt: '', endAt: '' };
    const { startDate, startTime, endDate, endTime, key } = entered;
    const values = { allDay: event.allDay, startDate, startTime, endDate, endTime, key };
    const fields: FieldErrors = {};
    const [startAt, endAt] = readTimes({ ...entered, allDay: event.allDay }, event.timezone, fields);
    if (Object.keys(fields).length > 0) {
      const problem = { code: 'invalid_request', message: problemText('invalid_request'), fields };
      return fail(400, { values, problem });
    }
    let id: string;
    try {
      const { data } = await duplicateEvent({
        client: locals.api,
        path: { id: event.id },
        body: { startAt, endAt },
        headers: { 'Idempotency-Key': key },
      });
      id = data.id;
    } catch (cause) {
      if (!(cause instanceof ProblemError)) throw cause;
      return fail(cause.status, { values: { ...values, key: newKey() }, problem: toFormProblem(cause) });
    }
    redirect(303, `/e/${id}/edit?copied`);
  },
};
