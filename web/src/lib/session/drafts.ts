/** What visitors type into forms, kept in the browser until it is sent: by account and form, for 30 days, without files. */

const prefix = 'potluck-draft';
const maxAgeMs = 30 * 24 * 3_600_000;

type Stored = { keptAt: number; entries: [name: string, value: string][] };

const keyOf = (account: string, form: string): string => `${prefix} ${account} ${form}`;

/** Returns null if nothing is kept. */
export function readDraft(account: string, form: string): FormData | null {
  try {
    const stored = parse(localStorage.getItem(keyOf(account, form)));
    if (!stored) return null;
    const data = new FormData();
    for (const [name, value] of stored.entries) data.append(name, value);
    return data;
  } catch {
    return null;
  }
}

/** @returns false if the browser keeps nothing */
export function keepDraft(account: string, form: string, data: FormData): boolean {
  try {
    const entries = [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const stored: Stored = { keptAt: Date.now(), entries };
    localStorage.setItem(keyOf(account, form), JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

export function removeDraft(account: string, form: string): void {
  removeIf((key) => key === keyOf(account, form));
}

/** Removes the drafts of other accounts, and old ones. @param account null removes all drafts */
export function removeDraftsOfOthers(account: string | null): void {
  removeIf(
    (key) => account === null || !key.startsWith(keyOf(account, '')) || !parse(localStorage.getItem(key)),
  );
}

function removeIf(isRemoved: (key: string) => boolean): void {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${prefix} `) && isRemoved(key));
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // A browser that forbids storage keeps no drafts.
  }
}

function parse(text: string | null): Stored | null {
  const stored = JSON.parse(text ?? 'null') as Stored | null;
  return stored && Date.now() - stored.keptAt < maxAgeMs ? stored : null;
}
