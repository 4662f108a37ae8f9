import { addItem, listItems, updateItem } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import {
  countClaims,
  deleteUnlessClaimed,
  readItemForm,
  toItemBody,
} from '#lib/event/bring/server/item-form.ts';
import { textOf } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { pageOf, readPageNumber } from '#lib/server/numbered-pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

/** Each item has a form. */
const itemsPerPage = 25;

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const { data: items } = await read(listItems({ client, path: { id } }));
  const asked = readQuery(url).text('delete');
  const doomed = items.find(({ id }) => id === asked);
  const list = pageOf(items, readPageNumber(url), itemsPerPage);
  if (!doomed) return { list, doomed: null };
  const claims = await read(countClaims(client, doomed.id).then((data) => ({ data })));
  return { list, doomed: { id: doomed.id, title: doomed.title, claims } };
};

export const actions: Actions = {
  add: formAction({
    access: 'people',
    fields: readItemForm,
    send: ({ client, path }, { emoji, description, link, kind, ...values }) =>
      addItem({
        client,
        path,
        body: {
          ...toItemBody(values),
          kind: kind === 'wish' ? 'wish' : 'bring',
          ...(emoji && { emoji }),
          ...(description && { description }),
          ...(link && { link }),
        },
      }),
    done: (_, { title }) => ({ added: title }),
  }),

  save: formAction({
    access: 'people',
    fields: readItemForm,
    send: ({ client }, { id, emoji, description, link, ...values }) =>
      updateItem({
        client,
        path: { id },
        body: {
          ...toItemBody(values),
          ...(emoji && { emoji }),
          description: description || null,
          link: link || null,
        },
      }),
    done: (_, { title }) => ({ saved: title }),
    problemFields: { quantity_below_claimed: 'quantityNeeded' },
  }),

  /** Asks first if claims end that the organizer has not been told about. */
  delete: formAction({
    access: 'people',
    send: ({ client, form }) =>
      deleteUnlessClaimed(client, textOf(form.get('id')), Number(form.get('confirmed'))),
    done: (isDeleted, _, { path, form }) => {
      const list = `/e/${path.id}/items`;
      redirect(303, isDeleted ? list : `${list}?delete=${encodeURIComponent(textOf(form.get('id')))}`);
    },
  }),
};
