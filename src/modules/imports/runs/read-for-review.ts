import type { Database } from '#pg';
import { loadGazetteer } from '../../places/load-gazetteer.ts';
import type { FileEntries } from '../parse-entry.ts';
import { namedPlace } from '../place-entries.ts';
import { type ReadEntry, readEntries } from '../read-entries.ts';
import { type ImportDefaults, keyPrefixOf } from '../sources/source-repo.ts';

/** `addressHash`: of the address of the file. Who imports it once and who follows it have the same entries. */
type Asked = { userId: string; options: ImportDefaults; addressHash: Buffer | null; now: Date };

/** Reads a file into entries, with what the request of a person says of those that say nothing of it. */
export async function readForReview(
  db: Database,
  file: FileEntries,
  { userId: organizerId, options: { place, ...defaults }, addressHash, now }: Asked,
): Promise<ReadEntry[]> {
  const gazetteer = await loadGazetteer();
  const { entries } = await readEntries(db, file, {
    ...{ ...defaults, organizerId, gazetteer, now },
    place: place && namedPlace(place, gazetteer),
    keyPrefix: addressHash ? keyPrefixOf(addressHash) : '',
  });
  return entries;
}
