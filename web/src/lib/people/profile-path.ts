/** The page of a person; undefined for a guest without an account, who has none: a link without an address is plain text. */
export const profilePath = ({ id, hasAccount }: { id: string; hasAccount: boolean }): string | undefined =>
  hasAccount ? `/u/${id}` : undefined;
