import { repeatEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { ruleOf } from '#lib/event/repetition.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ parent }) => {
  const { event } = await parent();
  if (event.series) redirect(303, `/series/${event.series.id}`);
};

export const actions: Actions = {
  default: formAction({
    access: 'people',
    fields: (form) => texts(form, 'how', 'rule', 'until'),
    send: ({ client, path }, values) => repeatEvent({ client, path, body: { rrule: ruleOf(values) } }),
    done: ({ data }) => redirect(303, `/series/${data.id}`),
  }),
};
