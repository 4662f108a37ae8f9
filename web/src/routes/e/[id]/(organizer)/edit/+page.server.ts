import { type Client, ProblemError, updateEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import type { EventValues } from '#lib/event-values.ts';
import { readEventForm, toEventBody, valuesOfEvent } from '#lib/server/organizer/event-form.ts';
import { findPlace } from '#lib/server/organizer/find-place.ts';
import { loadOptions, refuse, refuseFor, searchPlace, withPlace } from '#lib/server/organizer/form-state.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api }, parent }) => {
  const { event } = await parent();
  return { values: valuesOfEvent(event), options: await loadOptions(api, event.currency) };
};

export const actions: Actions = {
  places: async ({ request, locals: { api } }) => searchPlace(api, readEventForm(await request.formData())),

  draft: async ({ request, locals: { api }, params: { id } }) => {
    const values = readEventForm(await request.formData());
    return save(api, id, { ...values, visibility: 'private' });
  },

  /** Saves; a draft is published. */
  publish: async ({ request, locals: { api }, params: { id } }) =>
    save(api, id, readEventForm(await request.formData())),
};

async function save(client: Client, id: string, entered: EventValues) {
  let values = entered;
  try {
    const result = await findPlace(client, entered);
    values = withPlace(entered, result);
    const checked = toEventBody(values, result.place);
    if (!result.place) return refuse(values, { ...checked.fields, location: result.error }, result.choices);
    if (checked.fields) return refuse(values, checked.fields);
    const { template: _, ...body } = checked.body;
    const visibility = values.visibility as NonNullable<typeof body.visibility>;
    await updateEvent({ client, path: { id }, body: { ...body, visibility } });
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause;
    return refuseFor(cause, values);
  }
  redirect(303, `/e/${id}`);
}
