import type { Cause } from './report.ts';

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
