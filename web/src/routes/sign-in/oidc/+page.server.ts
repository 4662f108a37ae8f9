import { type Client, finishOidc, linkOidc, ProblemError, startOidc } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { namePath, needsName } from '#lib/event/guests/server/after-sign-in.ts';
import { signInPage } from '#lib/event/guests/server/intent.ts';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import { type Access, formAction } from '#lib/server/form-action.ts';
import { localPath, parsePath } from '#lib/server/local-path.ts';
import { toFormProblem } from '#lib/server/problems.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

/** The provider sends visitors back to this page. A GET ends the sign-in, because only the browser that began it can. */
export const load: PageServerLoad = async ({ locals: { api }, url, request }) => {
  const query = readQuery(url);
  const state = query.text('state');
  if (state === '') {
    if (request.method === 'GET') redirect(303, '/sign-in');
    return { problem: null, again: null };
  }
  const result = await finish(api, state, query);
  if (typeof result === 'string') {
    const next = localPath(result);
    // That page asks later, when the visitor has said yes to what follows.
    if (parsePath(next).pathname === '/sign-in') redirect(303, next);
    redirect(303, (await needsName(api)) ? namePath(next) : next);
  }
  // The sign-in is not lost while the provider does not respond: the same address continues it.
  const again = result.code === 'oidc_unavailable' ? url.pathname + url.search : null;
  return { problem: result, again };
};

/** @returns the page to open, or the refusal */
async function finish(client: Client, state: string, query: PageFields): Promise<string | FormProblem> {
  const names = (['code', 'iss', 'error'] as const).filter((name) => query.has(name));
  const rest = Object.fromEntries(names.map((name) => [name, query.text(name)]));
  try {
    return (await finishOidc({ client, body: { state, ...rest } })).data.next;
  } catch (cause) {
    if (cause instanceof ProblemError) return toFormProblem(cause);
    throw cause;
  }
}

type Begin = (options: {
  client: Client;
  body: { next: string; confirmCode?: string };
}) => Promise<{ data: { url: string } }>;

/** Begins a sign-in. The page opens the address, because forms cannot lead to other servers (content security policy). */
const begin = (access: Access, send: Begin) =>
  formAction({
    access,
    send: ({ client, form }) => {
      const confirmCode = form.text('confirmCode').replace(/\s/g, '');
      return send({ client, body: { next: signInPage(form), ...(confirmCode !== '' && { confirmCode }) } });
    },
    done: ({ data }) => ({ url: data.url }),
  });

export const actions: Actions = {
  start: begin('anyone', ({ client, body: { next } }) => startOidc({ client, body: { next } })),
  link: begin('people', linkOidc),
};
