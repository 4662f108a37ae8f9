/** Applies changes of the change log to the discovery index. */
import { inChunks, mapInTurns } from '#base';
import {
  type ChangeLog,
  type CommittedChange,
  changeKeyOf,
  isCurrent,
  type ListingKey,
  readAgain,
} from '#fresh-records';
import type { Database } from '#pg';
import { isListedVersion, listedVersion } from '../../events/changed-events.ts';
import type { EventIndex } from './event-index.ts';
import { listChangedRows } from './index-rows.ts';

type Source = { db: Database; changeLog: Pick<ChangeLog, 'catchUp' | 'listingOf'> };

/**
 * What one statement reads, so that its rows need little memory: most changes are of one event, but one of an account may
 * name thousands.
 */
const [maxChangesPerStatement, maxPlacesPerStatement] = [100, 500];

/**
 * Applies changes, and again those whose rows the database does not show yet, for about a second.
 * @param index null only reads the rows
 * @returns the changes that the database still does not show
 */
export async function applyUntilVisible(
  source: Source,
  index: EventIndex | null,
  changes: CommittedChange[],
): Promise<CommittedChange[]> {
  let late = await applyChanges(source, index, changes);
  const apply = async () => {
    late = await applyChanges(source, index, late);
    return late;
  };
  if (late.length > 0) await readAgain(source.changeLog, apply, ({ length }) => length > 0);
  return late;
}

/**
 * Reads the current rows of the changed events, and replaces these events in the index.
 * @param index null only reads the rows
 * @returns the changes that the database does not show yet
 */
export async function applyChanges(
  { db, changeLog }: Source,
  index: EventIndex | null,
  changes: CommittedChange[],
): Promise<CommittedChange[]> {
  const late: CommittedChange[] = [];
  for (const some of inChunks(changes, maxChangesPerStatement)) {
    const places = new Map<string, ListingKey>();
    for (const key of some.flatMap(({ listingKeys }) => listingKeys))
      places.set(`${key.cell} ${key.day}`, key);
    const changeKeys = new Set(some.flatMap((change) => change.changeKeys));
    // Changes that the log names while the rows are read are applied in their own turn.
    const required = new Map([...changeKeys].map((key) => [key, changeLog.listingOf(key)]));
    const found = new Map<string, number>();
    for (const near of inChunks([...places.values()], maxPlacesPerStatement)) {
      const rows = await listChangedRows(db, near, [...changeKeys]);
      for (const { id, version } of rows) found.set(changeKeyOf(id), listedVersion(version));
      const events = index && (await mapInTurns(rows, (row) => index.toEvent(row)));
      if (events) index.apply(near, changeKeys, events);
    }
    late.push(...some.filter((change) => isLate(change, required, found)));
  }
  return late;
}

/**
 * Whether the rows are older than the change log requires. An event that was not found has left the lists or its place:
 * then either this change or a newer one says so.
 * @param found the listing versions of the rows, by change key
 */
function isLate(
  { changeKeys, listings }: CommittedChange,
  required: Map<string, number | undefined>,
  found: Map<string, number>,
): boolean {
  return changeKeys.some((key, i) => {
    const listing = found.get(key);
    if (listing !== undefined) return !isCurrent(required.get(key), listing);
    const own = listings?.[i];
    return own !== undefined && own === required.get(key) && isListedVersion(own);
  });
}
