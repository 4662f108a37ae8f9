/** Work that was not done, or not in time, because something is down or full. The same request may succeed later. */
export class Unavailable extends Error {
  readonly code = 'unavailable';
  /** In seconds; null if nothing is known about when to try again. */
  readonly retryAfter: number | null;

  constructor(retryAfter: number | null = null) {
    super('unavailable');
    this.retryAfter = retryAfter;
  }
}
