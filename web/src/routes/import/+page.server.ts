import {
  type Client,
  type CreateImportErrors,
  type CreateImportResponses,
  deleteSource,
  listImportSources,
  refreshSource,
  updateSource,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields, type Submission } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** As the API bounds a file. */
const maxFileBytes = 5_000_000;

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  return { followed: (await read(listImportSources({ client: locals.api }))).data };
};

/** By the name: browsers take the type from the programs that are installed. */
const typeOf = ({ name }: File): string => (/\.(?:csv|tsv|txt)$/i.test(name) ? 'text/csv' : 'text/calendar');

const visibilities = ['public', 'unlisted', 'private'] as const;

type Headers = Submission<object>['headers'];
type Query = { visibility: (typeof visibilities)[number] };

/** The generated function sends addresses alone. */
const sendFile = (client: Client, file: File, query: Query, headers: Headers) =>
  client.post<CreateImportResponses, CreateImportErrors, true>({
    url: '/v1/imports',
    query,
    body: file,
    bodySerializer: null,
    headers: { ...headers, 'Content-Type': typeOf(file) },
  });

const sendAddress = (client: Client, body: object, query: Query, headers: Headers) =>
  client.post<CreateImportResponses, CreateImportErrors, true>({
    url: '/v1/imports',
    query,
    body,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });

/** The file that was chosen; null without one. */
function readFile(form: PageFields): File | null {
  const file = form.file('file');
  if (file === null || file.size === 0) return null;
  if (file.size > maxFileBytes) throw new InvalidFields({ file: m.problem_payload_too_large() });
  return file;
}

const idOf = (form: PageFields) => texts(form, 'id');

export const actions: Actions = {
  read: formAction({
    access: 'people',
    fields: (form) => ({
      ...texts(form, 'address', 'visibility'),
      follow: form.has('follow'),
      autoPublish: form.has('autoPublish'),
    }),
    send: async ({ client, form, headers }, { address, visibility: chosen, follow, autoPublish }) => {
      const query = { visibility: visibilities.find((each) => each === chosen) ?? 'public' };
      const file = readFile(form);
      if (follow && (file || address === '')) throw new InvalidFields({ url: m.import_follow_address() });
      if (file) return await sendFile(client, file, query, headers);
      if (address === '') throw new InvalidFields({ file: m.import_nothing() });
      const body = { url: address, ...(follow && { follow, autoPublish }) };
      return await sendAddress(client, body, query, headers);
    },
    done: ({ data }) => redirect(303, `/import/${data.id}`),
    problemFields: { unsupported_media_type: 'file', payload_too_large: 'file' },
  }),

  /** The calendar is fetched after the response, which says how it stood before. */
  check: formAction({
    access: 'people',
    fields: idOf,
    send: ({ client }, path) => refreshSource({ client, path }),
    done: ({ data: { id, lastGoodAt, problem } }) => ({ checked: { id, lastGoodAt, problem } }),
  }),

  change: formAction({
    access: 'people',
    fields: idOf,
    send: ({ client, form }, path) =>
      updateSource({ client, path, body: { autoPublish: form.text('autoPublish') === 'true' } }),
    done: () => redirect(303, '/import'),
  }),

  unfollow: formAction({
    access: 'people',
    fields: idOf,
    send: ({ client }, path) => deleteSource({ client, path }),
    done: () => ({ isUnfollowed: true }),
  }),
};
