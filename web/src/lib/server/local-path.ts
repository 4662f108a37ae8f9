/** The path that a form asks to return to; `/` for an address of another site. */
export function localPath(value: FormDataEntryValue | null): string {
  if (typeof value !== 'string') return '/';
  const base = 'http://local.invalid';
  const url = URL.canParse(value, base) ? new URL(value, base) : null;
  return url?.origin === base ? url.pathname + url.search + url.hash : '/';
}
