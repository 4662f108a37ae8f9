/** The path that a form asks to return to; `/` for an address of another site. */
export function localPath(value: unknown): string {
  const base = 'http://local.invalid';
  const url = typeof value === 'string' ? URL.parse(value, base) : null;
  // `/.//host` has the path `//host`, which a browser reads as an address of another site.
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
