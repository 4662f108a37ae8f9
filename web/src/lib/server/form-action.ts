/** The action of a form as one declaration: its fields, the operation of the API, and what the page does then. */
import { type Client, ProblemError } from '@potluck/client';
import { type ActionFailure, fail, type RequestEvent } from '@sveltejs/kit';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import { textOf } from '#lib/forms/texts.ts';
import { problemText, toFormProblem } from '#lib/server/problems.ts';

/** A submitted form. An operation of the API takes `client`, `path` and `headers` as they are. */
export type Submission<Path> = {
  client: Client;
  /** The parameters of the page's address. */
  path: Path;
  /** The idempotency key, if the form has a field `key`: a form that is sent again has no second effect. */
  headers: { 'Idempotency-Key'?: string };
  url: URL;
  form: FormData;
};

type Declaration<Result, Shown, Values, Path> = {
  /** Refuses visitors. Without it, the API refuses them, and the form says why. */
  guard?: (locals: App.Locals, url: URL) => unknown;
  /** Reads the fields that a refused form keeps. */
  fields?: (form: FormData) => Values;
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

export function formAction<
  Result,
  Shown,
  Values = undefined,
  Path extends Record<string, string> = Record<string, string>,
>({
  guard,
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
  }: RequestEvent<Path>): Promise<Shown | ActionFailure<{ problem: FormProblem; values: Values }>> => {
    guard?.(locals, url);
    const form = await request.formData();
    const values = fields?.(form) as Values;
    const key = form.get('key');
    const headers = typeof key === 'string' && key !== '' ? { 'Idempotency-Key': key } : {};
    const submission = { client: locals.api, path: params, headers, url, form };
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

/** What the form says about a refusal. @throws other errors */
function explain(cause: unknown): { status: number; problem: FormProblem } {
  if (cause instanceof ProblemError) return { status: cause.status, problem: toFormProblem(cause) };
  if (!(cause instanceof InvalidFields)) throw cause;
  const code = 'invalid_request';
  return { status: 400, problem: { code, message: problemText(code), fields: cause.fields } };
}

/** Reads text fields, without surrounding spaces. */
export const texts = <Name extends string>(form: FormData, ...names: Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, textOf(form.get(name))])) as Record<Name, string>;
