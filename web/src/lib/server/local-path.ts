/** Begins with a path: `//` and `/\` begin with a host, and a browser ignores tabs and line breaks in between. */
const localPattern = /^\/(?![/\\])[^\t\n\r]*$/;

/** The path that a form asks to return to; `/` for an address of another site. */
export function localPath(value: unknown): string {
  if (typeof value !== 'string' || !localPattern.test(value)) return '/';
  const { pathname, search, hash } = parsePath(value);
  // `/.//host` has the path `//host`, which a browser reads as an address of another site.
  return pathname.startsWith('//') ? '/' : pathname + search + hash;
}

/** Parses a path of this server, with its query. */
export const parsePath = (path: string): URL => new URL(path, 'http://local.invalid');
