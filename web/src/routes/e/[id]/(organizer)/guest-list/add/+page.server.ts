import { addGuests, type Client } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { extraGuestsOf } from '#lib/event/guests/answer.ts';
import { maxLines, readGuestTable } from '#lib/event/guests/guest-table.ts';
import { linesOf, textOf } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields, type Submission } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = () => ({ key: crypto.randomUUID() });

const fields = (form: PageFields) => {
  const table = linesOf(form.get('table'));
  return { table, key: textOf(form.get('key')), lines: readGuestTable(table).slice(0, maxLines + 1) };
};
type Values = ReturnType<typeof fields>;

/** @throws InvalidFields unless some lines become guests, and no more than are added at once */
function guestsOf({ lines }: Values) {
  if (lines.length > maxLines) throw new InvalidFields({ table: m.organizer_add_too_many() });
  const readable = lines.filter(({ isReadable }) => isReadable);
  if (readable.length === 0) throw new InvalidFields({ table: m.organizer_add_nobody() });
  return readable.map(({ name, people }) => ({ name, extraGuests: extraGuestsOf(people) }));
}

const add = async (
  { client, path, headers }: Submission<{ id: string }> & { client: Client },
  values: Values,
) => addGuests({ client, path, headers, body: { guests: guestsOf(values) } });

export const actions: Actions = {
  /** Shows what each line becomes. Nothing is stored. */
  check: formAction({
    access: 'people',
    fields,
    send: async (_, values) => guestsOf(values).length,
    done: (count, values) => ({ count, values }),
  }),

  add: formAction({
    access: 'people',
    fields,
    send: add,
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/guest-list`),
  }),
};
