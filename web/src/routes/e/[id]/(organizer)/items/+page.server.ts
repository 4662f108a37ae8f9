import { addItem, deleteItem, listItems, ProblemError, updateItem } from '@potluck/client';
import { fail, redirect } from '@sveltejs/kit';
import { pageOf, readPageNumber } from '#lib/server/numbered-pages.ts';
import {
  countClaims,
  readItemForm,
  refuseItem,
  refuseItemFor,
  toItemBody,
} from '#lib/server/organizer/item-form.ts';
import { load as read, toFormProblem } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

/** Each item has a form. */
const itemsPerPage = 25;

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const { data: items } = await read(listItems({ client, path: { id } }));
  const doomed = items.find((item) => item.id === url.searchParams.get('delete'));
  const list = pageOf(items, readPageNumber(url), itemsPerPage);
  if (!doomed) return { list, doomed: null };
  const claims = await read(countClaims(client, doomed.id).then((data) => ({ data })));
  return { list, doomed: { id: doomed.id, title: doomed.title, claims } };
};

export const actions: Actions = {
  add: async ({ request, locals: { api: client }, params: { id } }) => {
    const values = readItemForm(await request.formData());
    const body = toItemBody(values);
    if ('fields' in body) return refuseItem(values, body.fields);
    const { emoji, description, link } = values;
    try {
      await addItem({
        client,
        path: { id },
        body: {
          ...body,
          kind: values.kind === 'wish' ? 'wish' : 'bring',
          ...(emoji && { emoji }),
          ...(description && { description }),
          ...(link && { link }),
        },
      });
    } catch (cause) {
      if (!(cause instanceof ProblemError)) throw cause;
      return refuseItemFor(cause, values);
    }
    return { added: values.title };
  },

  save: async ({ request, locals: { api: client } }) => {
    const values = readItemForm(await request.formData());
    const body = toItemBody(values);
    if ('fields' in body) return refuseItem(values, body.fields);
    const { id, emoji, description, link } = values;
    try {
      await updateItem({
        client,
        path: { id },
        body: { ...body, ...(emoji && { emoji }), description: description || null, link: link || null },
      });
    } catch (cause) {
      if (!(cause instanceof ProblemError)) throw cause;
      return refuseItemFor(cause, values);
    }
    return { saved: values.title };
  },

  /** Asks first if claims end that the organizer has not been told about. */
  delete: async ({ request, locals: { api: client }, params }) => {
    const form = await request.formData();
    const id = String(form.get('id') ?? '');
    const confirmed = Number(form.get('confirmed') ?? 0);
    let people: number;
    try {
      ({ people } = await countClaims(client, id));
      if (people <= confirmed) await deleteItem({ client, path: { id } });
    } catch (cause) {
      if (!(cause instanceof ProblemError)) throw cause;
      // Another window has deleted it.
      if (cause.code !== 'item_not_found') return fail(cause.status, { problem: toFormProblem(cause) });
      people = 0;
    }
    const list = `/e/${params.id}/items`;
    redirect(303, people > confirmed ? `${list}?delete=${encodeURIComponent(id)}` : list);
  },
};
