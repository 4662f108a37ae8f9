/** The cookies of the visitor of a page, as the API changes them while the page is made. */

const namePattern = /(?:^|; *)(?:__Host-potluck|potluck-\d+)=[^;]/;

export class VisitorCookies {
  /** The `Cookie` header for the next request to the API. */
  header: string | null;
  /** The `Set-Cookie` headers for the visitor. */
  readonly changed: string[] = [];

  constructor(header: string | null) {
    this.header = header;
  }

  /** Whether the visitor sent the cookie of a session, which may have ended. */
  get hasSession(): boolean {
    return this.header !== null && namePattern.test(this.header);
  }

  /** Leaves the cookies out of later requests to the API. */
  forget(): void {
    this.header = null;
  }

  /** Applies `Set-Cookie` headers of the API, which sets the cookie of the session alone. */
  apply(setCookies: string[]): void {
    for (const cookie of setCookies) {
      this.changed.push(cookie);
      this.header = cookie.split(';', 1)[0] ?? null;
    }
  }
}
