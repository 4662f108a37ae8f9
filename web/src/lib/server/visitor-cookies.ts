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

  /** Removes the cookie of a session that has ended, and leaves the cookies out of later requests to the API. */
  removeSession(): void {
    this.header = null;
    this.changed.push(this.#sessionCookie.cleared);
  }

  /** Applies `Set-Cookie` headers of the API, which sets the cookie of the session alone. */
  apply(setCookies: string[]): void {
    for (const cookie of setCookies) {
      this.changed.push(cookie);
      this.header = cookie.split(';', 1)[0] ?? null;
    }
  }
}
