/**
 * The time of the database, which is the same for all servers. Between two readings it follows a monotonic clock,
 * which no adjustment of the server's time moves. Before the first reading it is the time of the server.
 */
export class DatabaseClock {
  readonly #ownClock: () => Date;
  readonly #uptime: () => number;
  /** The ms from the start of the monotonic clock to the epoch; null before the first reading. */
  #offset: number | null = null;

  constructor(ownClock: () => Date, uptime: () => number) {
    this.#ownClock = ownClock;
    this.#uptime = uptime;
  }

  /** In ms since the epoch. */
  now(): number {
    return this.#offset === null ? this.#ownClock().getTime() : Math.floor(this.#uptime() + this.#offset);
  }

  /**
   * Sets the clock to a time that the database has just returned.
   * @param sentAt when the statement was sent, by the monotonic clock. Half of the time since then is added, because
   *   the database read its clock at some moment in between.
   */
  set(now: Date, sentAt: number): void {
    this.#offset = now.getTime() - (sentAt + this.#uptime()) / 2;
  }
}
