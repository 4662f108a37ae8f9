import { isProblem, listTemplates, ProblemError } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { createEventWithItems, isFinal, readItems } from '#lib/event/form/server/create-event.ts';
import { newKey, startOf, toEventBody, valuesOfStart } from '#lib/event/form/server/event-form.ts';
import type { FieldErrors } from '#lib/event/form/server/event-times.ts';
import { findPlace } from '#lib/event/form/server/find-place.ts';
import {
  alreadyCreated,
  changeRows,
  eventAction,
  loadOptions,
  refuse,
  refuseFor,
  searchPlace,
  withPlace,
} from '#lib/event/form/server/form-state.ts';
import { nameOrganizer } from '#lib/event/form/server/name-organizer.ts';
import { exchangeTemplate } from '#lib/event/form/template-start.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url, platform }) => {
  requireMe(locals, url);
  const { data: templates } = await read(listTemplates({ client: locals.api }));
  const key = newKey();
  const starts = templates.map((template) => startOf(template, key));
  const start = starts.find(({ slug }) => slug === readQuery(url).text('template')) ?? starts[0];
  if (!start) error(503);
  return {
    starts,
    values: valuesOfStart(start, key),
    options: await loadOptions({ locals, platform }, ''),
  };
};

export const actions: Actions = {
  places: eventAction((values, { locals }) => searchPlace(locals.api, values)),

  rows: eventAction((values, _, form) => ({
    values: { ...values, items: changeRows(values.items, form.text('row')) },
  })),

  template: eventAction(async (values, { locals }, form) => {
    const { data } = await read(listTemplates({ client: locals.api }));
    const startOfSlug = (slug: string) => data.find((template) => template.slug === slug);
    const [from, to] = [startOfSlug(values.template), startOfSlug(form.text('next'))];
    if (!from || !to) return { values };
    const [before, after] = [startOf(from, values.key), startOf(to, values.key)];
    return {
      values: { ...values, ...exchangeTemplate(values, before.values, after.values), template: to.slug },
    };
  }),

  draft: eventAction((values, { locals }) => create(locals, values, true)),

  publish: eventAction((values, { locals }) => create(locals, values, false)),
};

async function create(locals: App.Locals, form: EventValues, isDraft: boolean) {
  const { api } = locals;
  // Without the empty rows, the API counts the items as the form does.
  const entered = { ...form, items: form.items.filter(({ title }) => title !== '') };
  let values = entered;
  try {
    const result = await findPlace(api, entered);
    values = withPlace(entered, result);
    const fields: FieldErrors = {};
    if (!result.place) fields.location = result.error;
    const items = readItems(values, fields);
    const checked = toEventBody(values, result.place);
    if (!isDraft) await nameOrganizer(locals, values, fields);
    if (checked.fields || Object.keys(fields).length > 0)
      return refuse(values, { ...checked.fields, ...fields }, result.place ? [] : result.choices);
    const body = { ...checked.body, template: values.template as NonNullable<typeof checked.body.template> };
    const visibility = isDraft ? 'private' : values.visibility === 'unlisted' ? 'unlisted' : 'public';
    const id = await createEventWithItems(api, values.key, body, items, visibility);
    redirect(303, isDraft ? `/e/${id}` : `/e/${id}?published`);
  } catch (cause) {
    if (isProblem(cause, 'idempotency_key_reused')) return alreadyCreated({ ...values, key: newKey() });
    if (!(cause instanceof ProblemError)) throw cause;
    return refuseFor(cause, isFinal(cause) ? { ...values, key: newKey() } : values);
  }
}
