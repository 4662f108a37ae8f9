/** The button that reminds invited people who have not answered. */
import { remindInvited } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction, type Submission } from '#lib/server/form-action.ts';

/** @param page of the event, which then says how many people are reminded */
export const remindFrom = (page: 'invitations' | 'guest-list') =>
  formAction({
    access: 'people',
    send: ({ client, path, headers }: Submission<{ id: string }>) => remindInvited({ client, path, headers }),
    done: ({ data }, _, { path }): never =>
      redirect(303, `/e/${path.id}/${page}?reminded=${data.recipients}`),
  });
