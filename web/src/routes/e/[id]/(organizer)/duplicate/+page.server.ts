import { duplicateEvent, getEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { newKey, valuesOfEvent } from '#lib/event/form/server/event-form.ts';
import { type FieldErrors, readTimes } from '#lib/event/form/server/event-times.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction, InvalidFields } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ parent }) => {
  const { startTime, endTime } = valuesOfEvent((await parent()).event);
  return { values: { startDate: '', startTime, endDate: '', endTime, key: newKey() } };
};

export const actions: Actions = {
  default: formAction({
    access: 'people',
    fields: (form) => texts(form, 'startDate', 'startTime', 'endDate', 'endTime', 'key'),
    send: async ({ client, path, headers }, entered) => {
      const { data: event } = await getEvent({ client, path });
      const fields: FieldErrors = {};
      const values = { ...entered, allDay: event.allDay, startAt: '', endAt: '' };
      const [startAt, endAt] = readTimes(values, event.timezone, fields);
      if (Object.keys(fields).length > 0) throw new InvalidFields(fields);
      return duplicateEvent({ client, path, headers, body: { startAt, endAt } });
    },
    done: ({ data }) => redirect(303, `/e/${data.id}/edit?copied`),
    keep: (values) => ({ ...values, key: newKey() }),
  }),
};
