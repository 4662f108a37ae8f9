/** The cookies of the visitor of a page, as the API changes them while the page is made. */

export class VisitorCookies {
  readonly #sessionCookie: App.Platform['sessionCookie'];
  /** The `Cookie` header for the next request to the API. */
  header: string | null;
  /** The `Set-Cookie` headers for the visitor. */
  readonly changed: string[] = [];

  constructor(header: string | null, sessionCookie: App.Platform['sessionCookie']) {
    this.header = header;
    this.#sessionCookie = sessionCookie;
  }

  /** Whether the visitor sent the cookie of a session of this server, which may have ended. */
  get hasSession(): boolean {
    return new RegExp(`(?:^|;)[ \t]*${this.#sessionCookie.name}[ \t]*=`).test(this.header ?? '');
  }

  /** Removes the cookie of a session that has ended, and leaves it out of later requests to the API. */
  removeSession(): void {
    this.header = this.#without([this.#sessionCookie.name]).join(';') || null;
    this.changed.push(this.#sessionCookie.cleared);
  }

  /** Applies `Set-Cookie` headers of the API. The other cookies stay: that of a session, while a sign-in elsewhere begins. */
  apply(setCookies: string[]): void {
    if (setCookies.length === 0) return;
    this.changed.push(...setCookies);
    const pairs = setCookies.map((cookie) => cookie.split(';', 1)[0] ?? '');
    this.header = [...this.#without(pairs.map(nameOf)), ...pairs].join(';');
  }

  /** The cookies of the visitor without those with the names. */
  #without(names: string[]): string[] {
    return this.header?.split(';').filter((pair) => !names.includes(nameOf(pair))) ?? [];
  }
}

/** @param pair `NAME=VALUE` */
const nameOf = (pair: string): string => pair.split('=', 1)[0]?.trim() ?? '';
