import { getEvent, repeatEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { repetitionsOf, ruleOf } from '#lib/event/repetition.ts';
import { ruleDates } from '#lib/event/server/rule-dates.ts';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

/** Dates beside a rule that is offered, and of an own rule. */
const [fewDates, manyDates] = [4, 12];

export const load: PageServerLoad = async ({ parent }) => {
  const { event } = await parent();
  if (event.series) redirect(303, `/series/${event.series.id}`);
  const repetitions = repetitionsOf(event);
  return {
    repetitions: repetitions.map((each) => ({ ...each, dates: ruleDates(event, each.rule, fewDates) ?? [] })),
  };
};

const readFields = (form: PageFields) => texts(form, 'how', 'rule', 'until');

export const actions: Actions = {
  /** Shows the dates. Nothing is stored. */
  dates: formAction({
    access: 'people',
    fields: readFields,
    send: async ({ client, path }, values) => {
      const { data: event } = await getEvent({ client, path });
      const dates = ruleDates(event, ruleOf(values), manyDates);
      if (!dates) throw new InvalidFields({ rrule: m.organizer_repeat_no_rule() });
      return dates;
    },
    done: (dates, values) => ({ values, dates }),
  }),

  repeat: formAction({
    access: 'people',
    fields: readFields,
    send: ({ client, path }, values) => repeatEvent({ client, path, body: { rrule: ruleOf(values) } }),
    done: ({ data }) => redirect(303, `/series/${data.id}`),
  }),
};
