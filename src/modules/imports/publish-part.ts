/** Splits a series that an earlier import made, where the file has RANGE=THISANDFUTURE now. */
import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '#pg';
import { recordEventChanges } from '../events/event-writes.ts';
import { findSaid, lockSeriesKey, setImportedSeries } from '../events/imports.ts';
import type { EventChange } from '../events/schemas.ts';
import { listComingIds } from '../events/series/occurrences.ts';
import { lockSeries, type Series } from '../events/series/repo.ts';
import { formatDate, type LocalTime, readDate, type Schedule } from '../events/series/schedule.ts';
import { reviseSeries } from '../series/revise-series.ts';
import { changesOfMoved, startLaterPart } from '../series/start-later-part.ts';
import type { ComparedEntry, ReviewedSeries } from './compare-entries.ts';
import { localOf } from './compare-series.ts';
import { placeNames, textNames } from './entry-fields.ts';
import { lockGuestsOfKey } from './lock-guests.ts';
import type { PublishContext, Published } from './publish-context.ts';
import type { SaidSeries } from './series-change.ts';
import { scheduleOfFirst } from './series-dates.ts';

type Part = ComparedEntry & {
  series: ReviewedSeries & { splits: NonNullable<ReviewedSeries['splits']> };
};

/**
 * Makes a series of the later dates: its events keep their ids, answers and claims. The locks are those of a change of the series.
 * @returns null if the series has no such date any more: then the part is a series of its own
 */
export async function publishPart(
  tx: Transaction,
  { organizerId, now }: PublishContext,
  { key, event, content, hash, series: said }: Part,
): Promise<Published | null> {
  const { splits } = said;
  if (!event || !content) return null;
  await lockGuestsOfKey(tx, organizerId, splits.key, now);
  const [id, ...others] = await lockSeriesKey(tx, organizerId, splits.key);
  const [existing] = await lockSeriesKey(tx, organizerId, key);
  // A series that a person has split stays as it is.
  const series = id !== undefined && others.length === 0 ? await lockSeries(tx, id) : null;
  if (existing !== undefined || !series) return null;
  const at = localOf(splits.from, series);
  const started = await startLaterPart(tx, series, at, now);
  if (!started) return null;
  const before = await findSaid<SaidSeries>(tx, organizerId, splits.key);
  const schedule = scheduleOfPart(started.series, { event, said, at });
  const change = before ? changeOfFields(before, content as SaidSeries) : {};
  const revised = await reviseSeries(tx, started.series, { schedule, change, dates: said.changedDates }, now);
  await setImportedSeries(tx, organizerId, key, { seriesId: revised.series.id, content, hash });
  await recordEventChanges(tx, [...revised.changes, changesOfMoved(started.moved, revised.changes)]);
  const [eventId = null] = await listComingIds(tx, revised.series.id, now);
  return { eventId, result: 'changed' };
}

/** The dates of the part, without those that were deleted or excluded here. */
function scheduleOfPart(
  { schedule: before }: Series,
  { event, said, at }: { event: NonNullable<ComparedEntry['event']>; said: ReviewedSeries; at: LocalTime },
): Schedule {
  const schedule = scheduleOfFirst(event, said);
  const shift = at.until(schedule.first, { largestUnit: 'day' });
  const move = (texts: Set<string>) =>
    [...texts].flatMap((text) => {
      const date = readDate(text, before.allDay);
      return date ? [formatDate(date.add(shift), schedule.allDay)] : [];
    });
  return {
    ...schedule,
    closesBefore: before.closesBefore,
    deleted: new Set(move(before.deleted)),
    excluded: new Set([...schedule.excluded, ...move(before.excluded)]),
  };
}

/** In what the later part differs from the earlier one. */
const changeOfFields = (before: SaidSeries, after: SaidSeries): EventChange =>
  Object.fromEntries(
    [...textNames, ...placeNames]
      .filter((name) => !isDeepStrictEqual(before[name], after[name]))
      .map((name) => [name, after[name]]),
  ) as EventChange;
