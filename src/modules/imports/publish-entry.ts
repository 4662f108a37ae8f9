/** Makes an event of an entry, or changes the event that an earlier import made of it. */
import type { Transaction } from '#pg';
import { Problem } from '../../lib/errors.ts';
import { withDefaults } from '../events/event-rules.ts';
import { toStored } from '../events/exact-place.ts';
import {
  findSaid,
  lockKey,
  lockSeriesKey,
  rememberLeftOut,
  setImportedEvent,
  setSeriesContent,
} from '../events/imports.ts';
import { insertEvent } from '../events/insert-events.ts';
import { type EventRow, withChosenCover } from '../events/present.ts';
import { loadShownPlaces } from '../events/public-place.ts';
import { findEventForUpdate } from '../events/repo.ts';
import { ownFieldsAfter } from '../events/series/own-fields.ts';
import { updateEvent } from '../events/update-events.ts';
import { type ComparedEntry, editedFields, type SeriesEntry, tryChange } from './compare-entries.ts';
import type { EntryContent } from './entry-content.ts';
import { EntryError } from './entry-error.ts';
import type { PublishContext, Published } from './publish-context.ts';
import { publishPart } from './publish-part.ts';
import { publishNewSeries, publishSeriesChange } from './publish-series.ts';
import { toEntered } from './to-entered.ts';

const nothing: Published = { eventId: null, result: 'unchanged' };

/**
 * Right under concurrency: the lock of the key lets imports of the same entry follow each other, and the second finds the event of the
 * first. The transaction must hold a lock on the organizer's account.
 * @throws Problem `quota_exceeded`; EntryError for fields that do not fit the event any more
 */
export function publishEntry(
  tx: Transaction,
  context: PublishContext,
  entry: ComparedEntry,
): Promise<Published> {
  const { series } = entry;
  if (series) {
    return publishSeries(tx, context, { ...entry, series });
  }
  return entry.change ? publishChange(tx, context, entry) : publishNew(tx, context, entry);
}

async function publishSeries(
  tx: Transaction,
  context: PublishContext,
  entry: SeriesEntry,
): Promise<Published> {
  const { series } = entry;
  if (series.isKnown) return await publishSeriesChange(tx, context, entry);
  const { splits } = series;
  const part = splits ? await publishPart(tx, context, { ...entry, series: { ...series, splits } }) : null;
  return part ?? (await publishNewSeries(tx, context, entry));
}

async function publishNew(
  tx: Transaction,
  { organizerId, publicUrl, now, countNew }: PublishContext,
  { key, event: shown, content, hash }: ComparedEntry,
): Promise<Published> {
  if (!shown) return nothing;
  const { status, ...body } = shown;
  const existing = await lockKey(tx, organizerId, key);
  if (existing !== null) return { eventId: existing, result: 'unchanged' };
  await countNew?.(tx);
  const shownPlace = await loadShownPlaces(body);
  const entered = withDefaults(withChosenCover(body, publicUrl), shownPlace);
  const fields = toStored({ ...entered, status }, shownPlace);
  const eventId = await insertEvent(tx, organizerId, fields, now, { isAnnounced: true });
  await setImportedEvent(tx, organizerId, key, { eventId, content, hash });
  return { eventId, result: 'added' };
}

async function publishChange(
  tx: Transaction,
  context: PublishContext,
  entry: ComparedEntry,
): Promise<Published> {
  const { organizerId, now, isAutomatic = false } = context;
  const organizer = { id: organizerId, role: 'user' } as const;
  const existing = await lockKey(tx, organizerId, entry.key);
  const before = existing === null ? null : await findEventForUpdate(tx, existing, organizer);
  if (!before || !entry.change) return nothing;
  const { change, content, hash } = isAutomatic ? await withoutEdits(tx, context, before, entry) : entry;
  const fields = tryChange(before, change ?? {});
  if (!fields) throw new EntryError('field', 'does not fit the event any more');
  if (fields.capacity > 0 && fields.capacity < before.bookedCount) throw new Problem('capacity_below_booked');
  // What a person cancelled is not restored when the entry returns.
  const isAbsent = entry.isAbsent && before.status === 'cancelled' ? undefined : entry.isAbsent;
  await setImportedEvent(tx, organizerId, entry.key, { eventId: before.id, content, hash, isAbsent });
  if (JSON.stringify(toEntered(before)) === JSON.stringify(toEntered(fields)))
    return { eventId: before.id, result: 'unchanged' };
  const occurrence = before.seriesId === null ? {} : { ownFields: ownFieldsAfter(before, fields) };
  await updateEvent(tx, { before, fields, occurrence }, now);
  return { eventId: before.id, result: 'changed' };
}

/** What a source changes of a locked event, without the fields that a person has changed here since the comparison. */
async function withoutEdits(
  tx: Transaction,
  { organizerId }: PublishContext,
  before: EventRow,
  { key, change, content, hash, isAbsent }: ComparedEntry,
): Promise<Pick<ComparedEntry, 'change' | 'content' | 'hash'>> {
  const said = await findSaid<EntryContent>(tx, organizerId, key);
  const edited = said ? editedFields(before, said) : [];
  // What cancels an event that is missing, or restores it, is no field of the source.
  const kept = edited.filter((name) => name !== 'status' && change?.[name] !== undefined);
  if (!said || !change || kept.length === 0 || isAbsent !== undefined) return { change, content, hash };
  const rest = Object.entries(change).filter(([name]) => !kept.includes(name as keyof EntryContent));
  const old = Object.fromEntries(kept.map((name) => [name, said[name]]));
  // Without a hash, the next comparison shows the person the newer values.
  return { change: Object.fromEntries(rest), content: content && { ...content, ...old }, hash: null };
}

/**
 * Remembers what the file said of an entry that the person leaves out, so that the next import of the same file does not ask again.
 * @param ofSource whether that holds for a new entry, too: a source has it again in an hour
 */
export async function forgetChange(
  tx: Transaction,
  organizerId: string,
  { key, knownId, content, hash, isAbsent, series }: ComparedEntry,
  ofSource: boolean,
): Promise<void> {
  if (!content) return;
  if (series?.isKnown) {
    const [known] = await lockSeriesKey(tx, organizerId, key);
    if (known !== undefined) await setSeriesContent(tx, organizerId, key, { content, hash, isAbsent });
    return;
  }
  if (knownId === null) {
    if (ofSource) await rememberLeftOut(tx, organizerId, key, { content, hash });
    return;
  }
  const eventId = await lockKey(tx, organizerId, key);
  if (eventId !== null) await setImportedEvent(tx, organizerId, key, { eventId, content, hash, isAbsent });
}
