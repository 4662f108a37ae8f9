/** Reads the file of an import, and stores its entries for the review. */
import { inChunks } from '#base';
import { type Database, transaction } from '#pg';
import type { Coordinates } from '#record-index';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';
import type { EnteredEvent } from '../../events/schemas.ts';
import { instantOf, readDate } from '../../events/series/schedule.ts';
import type { Gazetteer } from '../../places/gazetteer.ts';
import { loadGazetteer } from '../../places/load-gazetteer.ts';
import { type ComparedEntry, compareEntries } from '../compare-entries.ts';
import { type FileKind, kindOf } from '../file-kind.ts';
import { findDuplicates } from '../find-duplicates.ts';
import type { DefaultPlace } from '../place-entries.ts';
import { readEntries } from '../read-entries.ts';
import { readFile } from '../read-file.ts';
import { fetchSource } from '../sources/fetch-source.ts';
import type { Question } from '../tables/date-order.ts';
import {
  type Counts,
  findSource,
  insertEntries,
  lockRun,
  type Run,
  type Source,
  setQuestion,
  setReview,
} from './repo.ts';

/** A statement of more entries would take long to write. */
const storedAtOnce = 50;

type Services = {
  db: Database;
  clock: () => Date;
  config: { importTestOrigin?: string | undefined };
};

/**
 * Reading changes nothing but the entries, which are stored in one transaction: an interrupted attempt leaves none, and of two servers
 * the second finds the import read.
 * @throws CalendarError
 */
export async function readRun({ db, clock, config }: Services, run: Run): Promise<void> {
  const source = await findSource(db, run);
  const file = await fileOf(source, run, config.importTestOrigin);
  if (!file) return;
  const read = await readFile(file.bytes, file.kind, run.answers);
  if ('question' in read) return await askFor(db, run, { question: read.question, ...file });
  const gazetteer = await loadGazetteer();
  const { place, category, visibility } = run.options;
  const { entries } = await readEntries(db, read, {
    ...{ organizerId: run.userId, category, visibility, gazetteer, now: clock() },
    place: place && named(place, gazetteer),
  });
  const compared = await compareEntries(db, { organizerId: run.userId, keepsEdits: false }, entries);
  await addDuplicates(db, run.userId, compared, clock());
  await transaction(db, async (tx) => {
    const locked = await lockRun(tx, run);
    if (locked?.status !== 'reading') return;
    let first = 1;
    for (const some of inChunks(compared, storedAtOnce)) {
      await insertEntries(tx, run, some, first);
      first += some.length;
    }
    await setReview(tx, run, countStates(compared));
  });
}

type SentFile = { bytes: Buffer; kind: FileKind };

/** Null if another server has read it. @throws SourceError; CalendarError */
async function fileOf(
  source: Source,
  { media }: Run,
  testOrigin: string | undefined,
): Promise<SentFile | null> {
  const url = source.url === null ? null : parseAddress(source.url);
  if (url) {
    const { bytes, type } = await fetchSource(url, { testOrigin });
    return { bytes, kind: kindOf(bytes, type) };
  }
  return source.file && media !== 'url' ? { bytes: source.file, kind: media } : null;
}

/** The import waits for the answer, with its file. */
async function askFor(
  db: Database,
  run: Run,
  { question, bytes, kind }: SentFile & { question: Question },
): Promise<void> {
  await transaction(db, async (tx) => {
    const locked = await lockRun(tx, run);
    if (locked?.status === 'reading') await setQuestion(tx, run, { question, file: bytes, media: kind });
  });
}

const named = (place: Coordinates, gazetteer: Gazetteer): DefaultPlace => ({
  ...place,
  name: gazetteer.nearest(place)?.name ?? `${place.lat}, ${place.lng}`,
});

function countStates(entries: ComparedEntry[]): Counts {
  const counts: Counts = {};
  for (const { state } of entries) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** Of a series, the event of the next date. */
function nextOf(event: EnteredEvent, series: ComparedEntry['series']): EnteredEvent {
  const next = series?.next[0];
  const date = next === undefined ? null : readDate(next, event.allDay);
  return date ? { ...event, startAt: instantOf(date, event.timezone).toISOString() } : event;
}

/** New entries that may be events which exist are doubtful. */
async function addDuplicates(
  db: Database,
  userId: string,
  entries: ComparedEntry[],
  now: Date,
): Promise<void> {
  const added = entries.flatMap((entry) =>
    entry.event && (entry.state === 'new' || entry.state === 'doubtful')
      ? [{ uid: entry.uid, event: nextOf(entry.event, entry.series), entry, now }]
      : [],
  );
  const found = await findDuplicates(db, { id: userId, role: 'user' }, added);
  for (const [i, duplicates] of found.entries()) {
    const entry = added[i]?.entry;
    if (!entry || duplicates.length === 0) continue;
    Object.assign(entry, { duplicates, doubts: [...entry.doubts, 'duplicate'], state: 'doubtful' });
  }
}
