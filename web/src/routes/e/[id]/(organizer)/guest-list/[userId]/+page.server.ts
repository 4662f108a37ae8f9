import { changeAddedGuest, listGuests, removeGuest } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import { extraGuestsOf } from '#lib/event/guests/answer.ts';
import { texts } from '#lib/forms/texts.ts';
import { loadAll } from '#lib/server/collect.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params, parent }) => {
  const { event } = await parent();
  const path = { id: params.id };
  const { rows } = await loadAll((query) => listGuests({ client, path, query }));
  const guest = rows.find(({ user }) => user.id === params.userId);
  if (!guest || guest.user.id === event.organizer.id) error(404);
  return { guest };
};

type Guest = Submission<{ id: string; userId: string }>;
const backToList = (_: unknown, __: unknown, { path }: Guest) => redirect(303, `/e/${path.id}/guest-list`);

export const actions: Actions = {
  save: formAction({
    access: 'people',
    fields: (form) => texts(form, 'name', 'status', 'people'),
    send: ({ client, path }: Guest, { name, status, people }) =>
      changeAddedGuest({
        client,
        path,
        body: {
          name,
          status: status === 'interested' ? 'interested' : 'going',
          extraGuests: extraGuestsOf(Number(people)),
        },
      }),
    done: backToList,
  }),

  remove: formAction({
    access: 'people',
    fields: () => null,
    send: ({ client, path, form }: Guest) =>
      removeGuest({ client, path, query: { silent: !form.has('tell') } }),
    done: backToList,
  }),
};
