/** What a person is told about a file or an address of which nothing comes. Of what an address answered, nothing is shown. */
import type { CalendarError } from './calendar-error.ts';
import type { ImportProblem, ImportProblemCode } from './problem-codes.ts';

/** What is at an address could not be fetched. */
export class SourceProblem extends Error {
  readonly code: ImportProblemCode;
  constructor(code: ImportProblemCode) {
    super(code);
    this.code = code;
  }
}

export function problemOfFile({ code, message }: CalendarError): ImportProblem {
  return { code, detail: `The file ${message}.` };
}

/** Of a file that was fetched. */
export function problemOfSource(code: ImportProblemCode): ImportProblem {
  if (code === 'source_unreachable') return { code, detail: 'The address did not answer with a file.' };
  if (code === 'payload_too_large') return { code, detail: 'The file at the address is too large.' };
  return {
    code: 'source_unreadable',
    detail: 'What is at the address is no calendar, no table and no web page with events.',
  };
}

/** Of a file that was fetched and cannot be read. */
export function problemOfFetched(error: CalendarError): ImportProblem {
  if (error.code === 'file_unreadable') return problemOfSource('source_unreadable');
  if (error.code === 'date_order')
    return {
      code: 'date_order',
      detail: 'Some dates of a column have the day first, and others the month.',
    };
  return problemOfFile(error);
}

/** What became of a source that was given up. */
export const givenUp = (problem: ImportProblem): ImportProblem => ({
  ...problem,
  detail: `${problem.detail} It is not fetched any more.`,
});
