/** What visitors type into forms, kept in the browser until it is sent: by account and form, for 30 days, without files. */
import { keyOfDraft } from '#lib/session/drafts.ts';

const maxAgeMs = 30 * 24 * 3_600_000;

type Stored = { keptAt: number; entries: [name: string, value: string][] };

/** Returns null if nothing is kept. */
export function readDraft(account: string, form: string): FormData | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOfDraft(account, form)) ?? 'null') as Stored | null;
    if (!stored || Date.now() - stored.keptAt > maxAgeMs) return null;
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
    localStorage.setItem(keyOfDraft(account, form), JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

export function removeDraft(account: string, form: string): void {
  try {
    localStorage.removeItem(keyOfDraft(account, form));
  } catch {
    // A browser that forbids storage keeps no drafts.
  }
}
