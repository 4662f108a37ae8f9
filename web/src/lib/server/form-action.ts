/** The action of a form as one declaration: its fields, the operation of the API, and what the page does then. */
import { type Client, ProblemError } from '@potluck/client';
import { type ActionFailure, error, fail, type RequestEvent } from '@sveltejs/kit';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import { invalidForm, problemText, toFormProblem } from '#lib/server/problems.ts';
import { type PageFields, readForm } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import { requireMe } from '#lib/server/require-me.ts';

/** A submitted form. An operation of the API takes `client`, `path` and `headers` as they are. */
export type Submission<Path> = {
  client: Client;
  /** The parameters of the page's address. */
  path: Path;
  /** The idempotency key, if the form has a field `key`: a form that is sent again has no second effect. */
  headers: { 'Idempotency-Key'?: string };
  url: URL;
  form: PageFields;
  /** Of the visitor. */
  cookies: RequestEvent['cookies'];
  platform: App.Platform;
};

/** Who may send a form. Suspended people are people: the API refuses what they may not do. */
export type Access = 'anyone' | 'people' | 'admins';

type Declaration<Result, Shown, Values, Path> = {
  /** Of visitors who are signed out, a form with `fields` says why it is refused, and others open the sign-in. */
  access: Access;
  /** Reads the fields that a refused form keeps. */
  fields?: (form: PageFields) => Values;
  /** Calls the API. @throws ProblemError, InvalidFields */
  send: (submission: Submission<Path>, values: Values) => Promise<Result>;
  /** Returns what the page shows, or redirects. */
  done: (result: Result, values: Values, submission: Submission<Path>) => Shown | Promise<Shown>;
  /** Changes the kept fields after a refusal. */
  keep?: (values: Values, code: string) => Values;
  /** By code of a problem, the field that it is explained at. */
  problemFields?: Record<string, string>;
};

/** The fields of a form that cannot be sent, with a text for each, as the API names them. */
export class InvalidFields extends Error {
  readonly fields: Record<string, string>;

  constructor(fields: Record<string, string>) {
    super('Invalid fields');
    this.fields = fields;
  }
}

/** The keys of the pages. A header cannot have every text. */
const keyPattern = /^[\w-]{1,100}$/;

export function formAction<
  Result,
  Shown,
  Values = undefined,
  Path extends Record<string, string> = Record<string, string>,
>({
  access,
  fields,
  send,
  done,
  keep = (values) => values,
  problemFields = {},
}: Declaration<Result, Shown, Values, Path>) {
  return async ({
    locals,
    params,
    request,
    url,
    cookies,
    platform,
  }: RequestEvent<Path>): Promise<Shown | ActionFailure<{ problem: FormProblem; values: Values }>> => {
    if (!platform) error(503);
    if (access === 'admins') requireAdmin(locals, url);
    if (access === 'people' && !fields && !hasSession(locals))
      requireMe(locals, { pathname: url.pathname, search: '' });
    const form = await readForm({ request });
    const values = fields?.(form) as Values;
    const refusal = refusalOf(access, locals, form);
    if (refusal) return fail(refusal.status, { problem: refusal.problem, values });
    const key = form.text('key');
    const headers = keyPattern.test(key) ? { 'Idempotency-Key': key } : {};
    const submission = { client: locals.api, path: params, headers, url, form, cookies, platform };
    let result: Result;
    try {
      result = await send(submission, values);
    } catch (cause) {
      const { status, problem } = explain(cause);
      const field = problemFields[problem.code];
      if (field) problem.fields[field] = problem.message;
      return fail(status, { problem, values: keep(values, problem.code) });
    }
    return done(result, values, submission);
  };
}

const hasSession = ({ session }: App.Locals): boolean => session === 'active' || session === 'suspended';

type Refusal = { status: number; problem: FormProblem };

/** Why a form is refused before anything is done with its fields; null if it is not. */
export function refusalOf(access: Access, locals: App.Locals, { problem }: PageFields): Refusal | null {
  if (access === 'people' && !hasSession(locals)) {
    const code = locals.session === 'none' ? 'token_missing' : 'token_invalid';
    return { status: 401, problem: { code, message: problemText(code), fields: {} } };
  }
  return problem && { status: 400, problem };
}

/** What the form says about a refusal. @throws other errors */
function explain(cause: unknown): Refusal {
  if (cause instanceof ProblemError) return { status: cause.status, problem: toFormProblem(cause) };
  if (cause instanceof InvalidFields) return { status: 400, problem: invalidForm(cause.fields) };
  throw cause;
}
