export type CalendarErrorCode = 'payload_too_large' | 'file_unreadable' | 'date_order';

/** The file is no calendar, or above a bound. The message continues a sentence that begins with the name of the file. */
export class CalendarError extends Error {
  readonly code: CalendarErrorCode;

  constructor(code: CalendarErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
