import { type Client, getEvent, ProblemError, updateEvent } from '@potluck/client';
import { fail, type RequestEvent, redirect } from '@sveltejs/kit';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { conflictOf } from '#lib/event/form/server/edit-conflict.ts';
import { toEventBody, valuesOfEvent } from '#lib/event/form/server/event-form.ts';
import type { FieldErrors } from '#lib/event/form/server/event-times.ts';
import { findPlace } from '#lib/event/form/server/find-place.ts';
import {
  eventAction,
  loadOptions,
  refuse,
  refuseFor,
  searchPlace,
  withPlace,
} from '#lib/event/form/server/form-state.ts';
import { nameOrganizer } from '#lib/event/form/server/name-organizer.ts';
import { visibilityOfTemplate } from '#lib/event/form/server/template-starts.ts';
import { pathAfterSave } from '#lib/event/server/after-save.ts';
import { readScope } from '#lib/event/server/scope.ts';
import { refuse as refusePage, toFormProblem } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, platform, parent, params: { id } }) => {
  const { event } = await parent();
  const [values, options] = await Promise.all([
    readEvent(locals.api, id, platform?.townIn).catch(refusePage),
    loadOptions({ locals, platform }, event.currency),
  ]);
  const isDraft = event.visibility === 'private';
  return {
    values: isDraft ? { ...values, visibility: visibilityOfTemplate(values.template) } : values,
    options,
  };
};

type Page = RequestEvent<{ id: string }>;

export const actions: Actions = {
  places: eventAction((values, { locals }) => searchPlace(locals.api, values)),

  draft: eventAction((values, { locals, params }: Page) =>
    save(locals, params.id, { ...values, visibility: 'private' }),
  ),

  /** Saves; a draft is published. */
  publish: eventAction((values, { locals, params }: Page) => save(locals, params.id, values)),
};

async function save(locals: App.Locals, id: string, entered: EventValues) {
  const client = locals.api;
  let values = entered;
  try {
    const result = await findPlace(client, entered);
    values = withPlace(entered, result);
    const checked = toEventBody(values, result.place);
    const fields: FieldErrors = { ...checked.fields };
    if (!result.place) fields.location = result.error;
    if (values.visibility !== 'private') await nameOrganizer(locals, values, fields);
    if (checked.fields || Object.keys(fields).length > 0)
      return refuse(values, fields, result.place ? [] : result.choices);
    const { template: _, ...body } = checked.body;
    const visibility = values.visibility as NonNullable<typeof body.visibility>;
    // A header cannot have every text; one that is no tag is that of no version.
    const headers = values.tag ? { 'If-Match': values.tag.replaceAll(/[^\x21-\x7e]/g, '?') } : {};
    const { data: before } = await getEvent({ client, path: { id } });
    const { data: after } = await updateEvent({
      client,
      path: { id },
      query: { scope: readScope(values.scope) },
      body: {
        ...{ ...body, visibility },
        ...(values.message && { message: values.message }),
        ...(visibility === 'private' && values.inviteGuests && { inviteGuests: true }),
      },
      headers,
    });
    redirect(303, pathAfterSave(before, after));
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause;
    if (cause.code === 'precondition_failed') return refuseConflict(client, id, values, cause);
    return refuseFor(cause, values);
  }
}

/** The values of the stored event, and its ETag. */
async function readEvent(client: Client, id: string, townIn?: App.Platform['townIn']): Promise<EventValues> {
  const { data, response } = await getEvent({ client, path: { id } });
  const town = await townIn?.(data.location.address);
  return valuesOfEvent(data, response.headers.get('etag') ?? '', town);
}

/**
 * Another person has saved the event since the form was opened. The form keeps what was entered, and shows what differs.
 * It has the ETag of the stored event now, so saving again overwrites it.
 */
async function refuseConflict(client: Client, id: string, entered: EventValues, cause: ProblemError) {
  const stored = await readEvent(client, id).catch(refusePage);
  const { tag, startAt, endAt } = stored;
  const values = { ...entered, tag, startAt, endAt };
  return fail(cause.status, { values, problem: toFormProblem(cause), conflict: conflictOf(stored, entered) });
}
