/** Work that was not done, or not in time, because something is down or full. The same request may succeed later. */
export class Unavailable extends Error {
  readonly code = 'unavailable';
  /** In seconds; undefined if nothing is known about when to try again. */
  readonly retryAfter: number | undefined;

  constructor(retryAfter?: number) {
    super('unavailable');
    this.retryAfter = retryAfter;
  }
}
