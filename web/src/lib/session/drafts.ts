/** The names of the drafts in the browser (forms/drafts/stored-drafts.ts), and their end with the account that they belong to. */

const prefix = 'potluck-draft';

export const keyOfDraft = (account: string, form: string): string => `${prefix} ${account} ${form}`;

/** @param account null removes all drafts */
export function removeDraftsOfOthers(account: string | null): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(`${prefix} `) && !(account && key.startsWith(keyOfDraft(account, ''))))
        localStorage.removeItem(key);
  } catch {
    // A browser that forbids storage keeps no drafts.
  }
}
