/** Which occurrences of a series a change or a deletion concerns. */
export const scopes = ['this', 'following', 'all'] as const;
export type Scope = (typeof scopes)[number];
