import type { CreateImportErrors, CreateImportResponses } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields } from '#lib/server/form-action.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** As the API bounds a file. */
const maxFileBytes = 5_000_000;

export const load: PageServerLoad = ({ locals, url }) => {
  requireMe(locals, url);
};

/** By the name: browsers take the type from the programs that are installed. */
const typeOf = ({ name }: File): string => (/\.(?:csv|tsv|txt)$/i.test(name) ? 'text/csv' : 'text/calendar');

const visibilities = ['public', 'unlisted', 'private'] as const;

export const actions: Actions = {
  default: formAction({
    access: 'people',
    fields: (form) => texts(form, 'address', 'visibility'),
    send: async ({ client, form, headers }, { address, visibility: chosen }) => {
      const visibility = visibilities.find((each) => each === chosen) ?? 'public';
      const file = form.file('file');
      const hasFile = file !== null && file.size > 0;
      if (!hasFile && address === '') throw new InvalidFields({ file: m.import_nothing() });
      if (hasFile && file.size > maxFileBytes)
        throw new InvalidFields({ file: m.problem_payload_too_large() });
      // The generated function sends addresses alone.
      return await client.post<CreateImportResponses, CreateImportErrors, true>({
        url: '/v1/imports',
        query: { visibility },
        ...(hasFile
          ? { body: file, bodySerializer: null, headers: { ...headers, 'Content-Type': typeOf(file) } }
          : { body: { url: address }, headers: { ...headers, 'Content-Type': 'application/json' } }),
      });
    },
    done: ({ data }) => redirect(303, `/import/${data.id}`),
    problemFields: { unsupported_media_type: 'file', payload_too_large: 'file' },
  }),
};
