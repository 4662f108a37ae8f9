/** Errors of the API, as pages and forms show them. */
import { type FieldError, ProblemError, ResponseError } from '@potluck/client';
import { error } from '@sveltejs/kit';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import { formatDelay, formatNumber } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';

const messages = m as unknown as Record<string, ((inputs?: object) => string) | undefined>;

/** The text of a problem by its code. Problems without one have the same general text. */
export const problemText = (code: string): string => (messages[`problem_${code}`] ?? m.problem_other)();

/** Returns the data of a response of the API. A refusal becomes the error page of its status. */
export async function load<T>(response: Promise<{ data: T }>): Promise<T> {
  try {
    return (await response).data;
  } catch (cause) {
    return refuse(cause);
  }
}

/** Shows the error page of a refusal of the API. @throws always */
export function refuse(cause: unknown): never {
  const refusal = toPageError(cause);
  if (refusal) error(refusal.status, refusal);
  throw cause;
}

/** Returns what the error page shows of a refusal of the API; null for other errors. */
export function toPageError(cause: unknown): App.Error | null {
  if (cause instanceof ProblemError)
    return { status: cause.status, message: problemText(cause.code), code: cause.code };
  if (cause instanceof ResponseError) return { status: 502, message: m.problem_other() };
  return null;
}

export const toFormProblem = ({ code, errors, retryAfter }: ProblemError): FormProblem => ({
  code,
  message:
    code === 'too_many_codes' && retryAfter !== undefined
      ? `${problemText(code)} ${m.problem_next_code({ when: formatDelay(retryAfter) })}`
      : problemText(code),
  fields: Object.fromEntries(errors.map((error) => [error.path, fieldText(error)])),
});

/** The refusal of a form whose fields have errors. @param fields texts by field */
export const invalidForm = (fields: Record<string, string>): FormProblem => ({
  code: 'invalid_request',
  message: problemText('invalid_request'),
  fields,
});

/** The text of an invalid field by its rule. Rules without one have the same general text. */
const fieldText = ({ rule, limit }: FieldError): string =>
  (messages[`field_${rule}`] ?? m.field_invalid)({ limit: limit === undefined ? '' : formatNumber(limit) });
