/** Splits a series at a date: its later occurrences become those of a new series. */
import { sql, type Transaction } from '#pg';
import { changedEvents } from '../events/changed-events.ts';
import { type EventChanges, noChanges } from '../events/event-writes.ts';
import { listingKeysOf } from '../events/listing-keys.ts';
import { joinSeries } from '../events/series/join-series.ts';
import { lockOccurrences, type OccurrenceRow } from '../events/series/occurrences.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { insertSeries, type Series, updateSeries } from '../events/series/repo.ts';
import { formatDate, hasDate, type LocalTime } from '../events/series/schedule.ts';
import { copyPeople } from '../events/series/series-rsvps.ts';
import { splitSeries } from '../events/series/split.ts';

/**
 * Gives the coming occurrences from a date on a series of their own, with the answers to the series, without recording the changes. The
 * transaction must hold the lock of the series.
 * @returns null if the series does not have the date, or none before it
 */
export async function startLaterPart(
  tx: Transaction,
  series: Series,
  at: LocalTime,
  now: Date,
): Promise<{ series: Series; moved: OccurrenceRow[] } | null> {
  const parts = hasDate(series.schedule, at) ? splitSeries(series, at, now) : null;
  if (!parts) return null;
  const { earlier, later } = parts;
  const from = formatDate(at, series.schedule.allDay);
  const rows = await lockOccurrences(tx, series.id, sql`e.end_at > ${now} and e.series_date >= ${from}`);
  await updateSeries(tx, earlier, planOf(earlier, now).dueAt, { at: now, lost: rows });
  await insertSeries(tx, later, planOf(later, now).dueAt);
  await copyPeople(tx, series.id, later.id);
  for (const { id, seriesDate } of rows) await joinSeries(tx, id, { seriesId: later.id, seriesDate });
  return { series: later, moved: rows };
}

/** What to record of moved occurrences, without those of which other changes are recorded: an event is recorded once. */
export function changesOfMoved(moved: OccurrenceRow[], others: EventChanges[]): EventChanges {
  const recorded = new Set(others.flatMap(({ records }) => records.flatMap(({ ids }) => ids)));
  const left = moved.filter(({ id }) => !recorded.has(id));
  if (left.length === 0) return noChanges;
  return { records: [changedEvents(left.map(({ id }) => id))], listingKeys: listingKeysOf(left) };
}
