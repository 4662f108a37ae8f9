/** Makes a series of an entry, or changes the series that an earlier import made of it. */
import { isDeepStrictEqual } from 'node:util';
import { newId } from '#base';
import { lockEach, type Transaction } from '#pg';
import { type EventFieldName, type EventFields, fieldNames } from '../events/event-fields.ts';
import { applyChange, withDefaults } from '../events/event-rules.ts';
import { recordEventChanges } from '../events/event-writes.ts';
import { findExactPlace, toStored, withExactPlace } from '../events/exact-place.ts';
import {
  deleteImportedDates,
  findSaid,
  type LockedDate,
  lockImportedDates,
  lockSeriesKey,
  setImportedSeries,
  setSeriesContent,
} from '../events/imports.ts';
import { type EventRow, withChosenCover } from '../events/present.ts';
import { loadShownPlaces, type ShownPlace } from '../events/public-place.ts';
import { findEventForUpdate } from '../events/repo.ts';
import { listComingIds } from '../events/series/occurrences.ts';
import { differsIn } from '../events/series/own-fields.ts';
import { lockSeries, type Series, seriesFieldsOf } from '../events/series/repo.ts';
import { compare, formatDate, hasDate, readDate, timesOf } from '../events/series/schedule.ts';
import type { EventUpdate } from '../events/update-events.ts';
import type { DateChange } from '../series/own-dates.ts';
import { requireRoom } from '../series/policy.ts';
import { readSchedule } from '../series/read-series.ts';
import { reviseSeries } from '../series/revise-series.ts';
import { startSeries } from '../series/start-series.ts';
import { isSeriesEdited, type SeriesEntry } from './compare-entries.ts';
import { localOf } from './compare-series.ts';
import type { EntryContent } from './entry-content.ts';
import { placeNames, textNames, timeNames } from './entry-fields.ts';
import { lockGuestsOfKey } from './lock-guests.ts';
import type { PublishContext, Published } from './publish-context.ts';
import { datesHere, type SaidSeries, scheduleAfter } from './series-change.ts';
import { statusAlone } from './status-alone.ts';
import { toEntered } from './to-entered.ts';

const nothing: Published = { eventId: null, result: 'unchanged' };

/**
 * Makes the series of an entry in the transaction. Events that an earlier import made of its dates become occurrences. Right under
 * concurrency: the lock of the key lets imports of the same entry follow each other, and the second finds the series of the first.
 * @throws Problem `quota_exceeded`, `series_full`, `invalid_request`
 */
export async function publishNewSeries(
  tx: Transaction,
  { organizerId, publicUrl, now, countNew }: PublishContext,
  { key, event: shown, content, hash, series: said }: SeriesEntry,
): Promise<Published> {
  if (!shown || !content) return nothing;
  const [existing] = await lockSeriesKey(tx, organizerId, key);
  if (existing !== undefined) return await published(tx, existing, now, 'unchanged');
  const { status: _, ...body } = shown;
  const shownPlace = await loadShownPlaces(body, ...said.changedDates.map(({ change }) => change));
  const fields = toStored(withDefaults(withChosenCover(body, publicUrl), shownPlace), shownPlace);
  const schedule = readSchedule(fields, said, 'startAt');
  const imported = await lockImported(tx, organizerId, key);
  const known = imported.find(({ event }) => event?.seriesId);
  if (known?.event?.seriesId) {
    // The person has made a series of the event that the entry was.
    await setImportedSeries(tx, organizerId, key, { seriesId: known.event.seriesId, content, hash });
    return { eventId: known.event.id, result: 'changed' };
  }
  const existingEvents = imported.filter(({ event }) => event !== null);
  if (existingEvents.length === 0) await countNew?.(tx);
  await requireRoom(tx, organizerId, now);
  const series: Series = {
    ...{ id: newId(), organizerId, schedule, fields: seriesFieldsOf(fields), items: [] },
    ...{ status: 'active', createdAt: now },
  };
  const joining = await joinImported(tx, series, imported, { changes: said.changedDates, shownPlace, now });
  const deleted = new Set(joining.deleted);
  const complete = { ...series, schedule: { ...schedule, deleted } };
  const start = { changes: said.changedDates.filter(({ date }) => !deleted.has(date)), shownPlace };
  const changes = await startSeries(tx, complete, { ...start, joining: joining.updates }, now);
  await setImportedSeries(tx, organizerId, key, { seriesId: series.id, content, hash });
  await deleteImportedDates(
    tx,
    organizerId,
    joining.keys.filter((one) => one !== key),
  );
  await recordEventChanges(tx, changes);
  return await published(tx, series.id, now, existingEvents.length === 0 ? 'added' : 'changed');
}

async function published(
  tx: Transaction,
  seriesId: string,
  now: Date,
  result: Published['result'],
): Promise<Published> {
  const [eventId = null] = await listComingIds(tx, seriesId, now);
  return { eventId, result };
}

/** An entry of an earlier import. `event`: locked; null if it was deleted. */
type Imported = LockedDate<EntryContent> & { event: EventRow | null };

async function lockImported(tx: Transaction, organizerId: string, key: string): Promise<Imported[]> {
  const rows = await lockImportedDates<EntryContent>(tx, organizerId, key);
  const events = new Map<string, EventRow | null>();
  await lockEach(
    rows.map(({ eventId }) => eventId),
    String,
    async (id) => events.set(id, await findEventForUpdate(tx, id, { id: organizerId, role: 'user' })),
  );
  return rows.map((row) => ({ ...row, event: events.get(row.eventId) ?? null }));
}

type Joined = { updates: { date: string; update: EventUpdate }[]; deleted: string[]; keys: string[] };

/** Gives events of earlier imports the dates of the series that they were. What a person has changed of them stays. */
async function joinImported(
  tx: Transaction,
  series: Series,
  imported: Imported[],
  { changes, shownPlace, now }: { changes: DateChange[]; shownPlace: ShownPlace; now: Date },
): Promise<Joined> {
  const joined: Joined = { updates: [], deleted: [], keys: [] };
  for (const one of imported) {
    const date = dateOfImported(series, one);
    if (date === null || joined.updates.some((other) => other.date === date)) continue;
    joined.keys.push(one.key);
    if (!one.event) {
      joined.deleted.push(date);
      continue;
    }
    const exactPlace = one.event.isAddressHidden ? await findExactPlace(tx, one.event.id) : null;
    const before = { ...one.event, exactPlace };
    const change = changes.find((other) => other.date === date)?.change ?? {};
    const local = readDate(date, series.schedule.allDay);
    if (!local) continue;
    const shared: EventFields = { ...series.fields, ...timesOf(series.schedule, local) };
    const ofFile = applyChange(shared, change, shownPlace);
    const entered = withExactPlace(one.event, exactPlace);
    const fields = one.event.endAt <= now ? entered : mergeEdits(entered, ofFile, one.content);
    const stored = toStored(fields, shownPlace, exactPlace);
    const ownFields = fieldNames.filter((name) => differsIn(name, shared, stored));
    const occurrence = { seriesId: series.id, seriesDate: date, ownFields };
    joined.updates.push({ date, update: { before, fields: stored, occurrence } });
  }
  return joined;
}

/** The date of the series that an entry of an earlier import was; null for one that the series does not have. */
function dateOfImported(series: Series, { key, event, content }: Imported): string | null {
  const [, written] = /\n@(.+)$/.exec(key) ?? [];
  const at = written ?? content?.startAt ?? event?.startAt.toISOString();
  if (at === undefined) return null;
  const { schedule } = series;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(at);
  const text = formatDate(localOf(isDay ? { day: at } : { at }, series), schedule.allDay);
  const date = readDate(text, schedule.allDay);
  return date && hasDate(schedule, date) ? text : null;
}

const fileNames = [...textNames, 'status', ...timeNames, ...placeNames] as const;
const locationNames: EventFieldName[] = ['address', 'lat', 'lng', 'isExact'];

/** The fields of the file, but those that were changed here since the earlier import, and those that no file has. */
function mergeEdits(current: EventFields, ofFile: EventFields, said: EntryContent | null): EventFields {
  const entered = toEntered(current);
  const isEdited = (name: keyof EntryContent) =>
    said !== null && !isDeepStrictEqual(entered[name], said[name]);
  const ofImport = fileNames
    .filter((name) => !isEdited(name))
    .flatMap((name) => (name === 'location' ? locationNames : [name]));
  return {
    ...current,
    ...Object.fromEntries(ofImport.map((name) => [name, ofFile[name]])),
  };
}

/**
 * Changes the series of an entry, with all parts of it that a person has split off, in the transaction. The locks of the key, of the
 * series and of its coming occurrences let this follow other changes, also those of a single date; what such a change made stays.
 * @throws Problem as a change of the series
 */
export async function publishSeriesChange(
  tx: Transaction,
  { organizerId, now, isAutomatic = false }: PublishContext,
  entry: SeriesEntry,
): Promise<Published> {
  const { key } = entry;
  await lockGuestsOfKey(tx, organizerId, key, now);
  const parts: Series[] = [];
  for (const id of await lockSeriesKey(tx, organizerId, key)) {
    const part = await lockSeries(tx, id);
    if (part) parts.push(part);
  }
  parts.sort((a, b) => compare(a.schedule.first, b.schedule.first));
  const [first] = parts;
  const said = await findSaid<SaidSeries>(tx, organizerId, key);
  // Of a series that a person has changed since the comparison, the status alone changes: the next one shows them the rest.
  const isKept = isAutomatic && said !== null && (await isSeriesEdited(tx, entry, { parts, said }));
  const { change, content, hash, series } = isKept ? statusAlone(entry, said) : entry;
  const { change: dates, onlyDate, changedDates } = series;
  if (!first || !content) return nothing;
  // What a person cancelled is not restored when the entry returns.
  const isAbsent =
    entry.isAbsent && parts.every(({ status }) => status === 'ended') ? undefined : entry.isAbsent;
  const written = [];
  for (const [i, part] of parts.entries()) {
    const range =
      parts.length === 1 ? null : { from: part.schedule.first, before: parts[i + 1]?.schedule.first ?? null };
    const schedule = dates ? scheduleAfter(part.schedule, dates, range) : part.schedule;
    const ownDates = dates ? datesHere(schedule, dates, range) : [];
    const revised = await reviseSeries(tx, part, { schedule, change: change ?? {}, dates: ownDates }, now);
    written.push(...revised.changes);
  }
  await setSeriesContent(tx, organizerId, key, {
    content: contentAfter(said, content as SaidSeries, { onlyDate, changedDates }),
    // That of one date is not that of the series.
    hash: onlyDate === null ? hash : null,
    isAbsent,
  });
  await recordEventChanges(tx, written);
  return await published(tx, (parts.at(-1) ?? first).id, now, 'changed');
}

/** What the file says now. An entry of one date says nothing of the others, which other entries may have changed meanwhile. */
function contentAfter(
  before: SaidSeries | null,
  after: SaidSeries,
  { onlyDate, changedDates }: { onlyDate: string | null; changedDates: DateChange[] },
): SaidSeries {
  if (onlyDate === null || !before) return after;
  const ofDate = changedDates.filter(({ date }) => date === onlyDate);
  const others = before.series.changedDates.filter(({ date }) => date !== onlyDate);
  const extraDates = [...new Set([...before.series.extraDates, ...after.series.extraDates])].sort();
  return { ...before, series: { ...before.series, extraDates, changedDates: [...others, ...ofDate] } };
}
