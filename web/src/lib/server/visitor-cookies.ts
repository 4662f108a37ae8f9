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
    const isOther = (pair: string) => pair.split('=', 1)[0]?.trim() !== this.#sessionCookie.name;
    this.header = this.header?.split(';').filter(isOther).join(';') || null;
    this.changed.push(this.#sessionCookie.cleared);
  }

  /** Applies `Set-Cookie` headers of the API, which sets the cookies of the session and of the device. */
  apply(setCookies: string[]): void {
    if (setCookies.length === 0) return;
    this.changed.push(...setCookies);
    this.header = setCookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  }
}
