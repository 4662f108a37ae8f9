/** Which entries of a source are missing, and which have another UID now. */
import type { SourceImport } from '../../events/source-imports.ts';
import type { EntryContent } from '../entry-content.ts';
import type { ReadEntry } from '../read-entries.ts';

export type Known = SourceImport<EntryContent>;

/** An entry whose UID has vanished, and the new one with the same title and start. */
export type Rename = { from: string; to: string };

/**
 * Pairs entries that have vanished with new ones that say the same event. Of one whose event was deleted here, only the hash is known.
 */
export function findRenames(known: Known[], entries: ReadEntry[]): Rename[] {
  const knownKeys = new Set(known.map(({ key }) => key));
  const isKnown = ({ key, formerKeys }: ReadEntry) =>
    knownKeys.has(key) || formerKeys.some((former) => knownKeys.has(former.key));
  const present = presentKeys(entries);
  const vanished = known.filter(({ key }) => !present.has(key));
  if (vanished.length === 0) return [];
  const byContent = Map.groupBy(vanished, ({ content }) => (content ? identityOf(content) : ''));
  const byHash = Map.groupBy(vanished, ({ content, hash }) => (content ? null : hash));
  return entries.flatMap((entry) => {
    if (entry.kind !== 'event' || isKnown(entry)) return [];
    const former = byContent.get(identityOf(entry.content))?.shift() ?? byHash.get(entry.hash)?.shift();
    return former ? [{ from: former.key, to: entry.key }] : [];
  });
}

const identityOf = ({ title, startAt }: EntryContent): string => `${startAt} ${title}`;

const presentKeys = (entries: ReadEntry[]): Set<string> =>
  new Set(entries.flatMap(({ key, formerKeys }) => [key, ...formerKeys.map((former) => former.key)]));

/** `confirmed`: missing in two good fetches an hour apart. `isMass`: more than half of the coming ones, and more than three. */
export type Absences = { missing: Known[]; confirmed: Known[]; isMass: boolean };

/**
 * Finds the coming events and series whose entries are missing. Past ones stay, and so do those that are cancelled already, and those that a
 * person restored after the source had cancelled them.
 * @param isPresent whether the file has an entry of a key
 */
export function findAbsences(
  known: Known[],
  isPresent: (key: string) => boolean,
  { fetchedAt, hourLength }: { fetchedAt: Date; hourLength: number },
): Absences {
  const coming = known.filter(({ coming, isAbsent }) => !isAbsent && coming.includes('scheduled'));
  const missing = coming.filter(({ key }) => !isPresent(key));
  const confirmed = missing.filter(
    ({ missingSince }) => missingSince !== null && fetchedAt.getTime() - missingSince.getTime() >= hourLength,
  );
  return {
    missing,
    confirmed,
    isMass: missing.length > maxMissing && missing.length > coming.length / 2,
  };
}

/** So many may be missing at once, of any number of entries. */
const maxMissing = 3;
