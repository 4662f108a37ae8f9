import {
  answerImportQuestions,
  changeImportEntry,
  getImport,
  type Import,
  listImportEntries,
  publishImport,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { textOf, texts } from '#lib/forms/texts.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** The API refuses others. */
type Option = Import['questions'][number]['options'][number];

const entriesPerPage = 30;
const states = ['new', 'changed', 'doubtful', 'refused', 'skipped', 'same'] as const;

export const load: PageServerLoad = async ({ locals, params: path, url }) => {
  requireMe(locals, url);
  const { api: client } = locals;
  const state = stateOf(url);
  const query = { ...readPage(url, entriesPerPage), ...(state && { state }) };
  const calendar = await read(getImport({ client, path }));
  const isRead = calendar.status !== 'reading' && calendar.status !== 'failed';
  return {
    calendar,
    state,
    entries: isRead ? await read(listImportEntries({ client, path, query })) : { data: [], nextCursor: null },
  };
};

export const actions: Actions = {
  publish: formAction({
    access: 'people',
    fields: (form) => ({ doubtful: form.has('doubtful') ? ('publish' as const) : ('skip' as const) }),
    send: ({ client, path }: Submission<{ id: string }>, body) => publishImport({ client, path, body }),
    done: (_, __, { path }) => redirect(303, `/import/${path.id}`),
  }),

  answer: formAction({
    access: 'people',
    fields: (form) => ({
      answers: Object.fromEntries(
        form.getAll('question').map((id) => [textOf(id), textOf(form.get(`order_${textOf(id)}`)) as Option]),
      ),
    }),
    send: ({ client, path }: Submission<{ id: string }>, body) =>
      answerImportQuestions({ client, path, body }),
    done: (_, __, { path }) => redirect(303, `/import/${path.id}`),
  }),

  /** Leaves an entry out, or takes it in. */
  skip: formAction({
    access: 'people',
    fields: (form) => texts(form, 'n', 'skip'),
    send: ({ client, path }, { n, skip }) =>
      changeImportEntry({ client, path: { id: path.id ?? '', n }, body: { skip: skip === 'true' } }),
    done: (_, __, { path, url }) => redirect(303, `/import/${path.id}${withoutAction(url)}`),
  }),
};

/** The list that was open when the form was sent. */
function withoutAction(url: URL): string {
  const state = stateOf(url);
  return state ? `?state=${state}` : '';
}

const stateOf = (url: URL) => states.find((each) => each === readQuery(url).text('state')) ?? null;
