/** Which dates of a series a form concerns; only the one of the page where the form has no choice. */
const scopes = ['this', 'following', 'all'] as const;

export const readScope = (entered: unknown): (typeof scopes)[number] =>
  scopes.find((scope) => scope === entered) ?? 'this';
