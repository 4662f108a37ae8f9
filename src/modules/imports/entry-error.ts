import { shorten } from '../../lib/text.ts';
import { limits } from './entry-limits.ts';
import type { Cause, EntryIssue } from './report.ts';

/** The entry cannot be imported. The message is the reason, for the import report. */
export class EntryError extends Error {
  readonly entryCause: Cause;
  /** Of the property that is the reason; undefined for the entry as a whole. */
  readonly line: number | undefined;

  constructor(cause: Cause, message: string, line?: number) {
    super(message);
    this.entryCause = cause;
    this.line = line;
  }
}

/**
 * What to report of an entry that could not be read.
 * @param title empty for an entry without one
 * @throws the error if it is no EntryError
 */
export function toIssue(error: unknown, { line, title }: { line: number; title: string }): EntryIssue {
  if (!(error instanceof EntryError)) throw error;
  return {
    line: error.line ?? line,
    ...(title && { title: shorten(title, limits.title) }),
    cause: error.entryCause,
    reason: error.message,
  };
}
