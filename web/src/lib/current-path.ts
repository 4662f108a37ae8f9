/** The path and the query of a page, without the name of the form that a browser without scripts sent there. */
export function currentPath({ pathname, search }: { pathname: string; search: string }): string {
  const query = new URLSearchParams(search);
  for (const name of [...query.keys()]) if (name.startsWith('/')) query.delete(name);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
