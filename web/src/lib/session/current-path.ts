type Page = {
  url: { pathname: string; searchParams: Iterable<[string, string]> };
  /** `id`: null at an address that is no page. */
  route: { id: string | null };
};

/**
 * The path and the query of a page, without the name of the form that a browser without scripts sent there. For an
 * unknown address, that of the front page: no page needs the address, and it may contain a token or a code.
 */
export function currentPath({ url: { pathname, searchParams }, route }: Page): string {
  if (route.id === null) return '/';
  const query = new URLSearchParams([...searchParams]);
  for (const name of [...query.keys()]) if (name.startsWith('/')) query.delete(name);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
