/** Makes the occurrences of series ahead of their time. */
import { type Database, skipLockedUnless, sql, type Transaction, transaction } from '#pg';
import { answerNewDates } from '../attendance/rsvps/answer-new-dates.ts';
import { type EventChanges, type Occurrence, recordEventChanges } from '../events/event-writes.ts';
import type { StoredFields } from '../events/exact-place.ts';
import { writeInsertions } from '../events/insert-events.ts';
import { type Plan, planOf } from '../events/series/planned-dates.ts';
import { lockSeries, type Series, updateSeries } from '../events/series/repo.ts';
import type { PlannedDate } from '../events/series/schedule.ts';
import { insertItems, toItemValues } from '../items/repo.ts';
import type { NewItem } from '../items/schemas.ts';

/** `isNews`: the followers of the organizer are notified of the first date. */
type NewDates = { dates: NewDate[]; isNews?: boolean };
/** `own`: what differs from the other occurrences. */
export type NewDate = PlannedDate & {
  own?: { fields: Partial<StoredFields>; ownFields: Occurrence['ownFields'] };
};

/**
 * Makes the occurrences of dates, with the fields, items and RSVPs that the series has, without recording the changes. The transaction
 * must hold the lock of the series.
 */
export async function writeDates(
  tx: Transaction,
  { id, organizerId, fields, items }: Series,
  { dates, isNews = false }: NewDates,
  now: Date,
): Promise<EventChanges> {
  const rows = dates.map(({ date, times, own }, i) => ({
    fields: { ...fields, ...times, ...own?.fields },
    occurrence: { seriesId: id, seriesDate: date, ownFields: own?.ownFields ?? [] },
    isAnnounced: !isNews || i > 0,
  }));
  const values = (items as NewItem[]).map(toItemValues);
  const insertDetails = async (eventIds: string[]) => {
    const made = dates.map(({ times }, i) => ({ id: eventIds[i] as string, rsvpUntil: times.rsvpUntil }));
    await answerNewDates(tx, { id, organizerId, fields }, made, now);
    if (values.length > 0) for (const eventId of eventIds) await insertItems(tx, eventId, values, now);
  };
  return (await writeInsertions(tx, organizerId, rows, now, { insertDetails })).changes;
}

/** The planned dates that have no event. The transaction must hold the lock of the series. */
async function missingDates(tx: Transaction, { id }: Series, plan: Plan): Promise<Plan['dates']> {
  const wanted = plan.dates.map(({ date }) => date);
  const rows = await tx.query<{ seriesDate: string }>(sql`
    select series_date from events where series_id = ${id} and series_date = any(${wanted}::text[])`);
  const existing = new Set(rows.map(({ seriesDate }) => seriesDate));
  return plan.dates.filter(({ date }) => !existing.has(date));
}

/**
 * Makes the occurrences that a series lacks. Right on any number of servers: the lock of the series is held until the commit, and
 * what exists is read after it, so no date is made twice; dates that were deleted are excluded from the series, and cancelled ones
 * exist.
 */
async function makeMissing(tx: Transaction, series: Series, now: Date): Promise<void> {
  const plan = planOf(series, now);
  const dates = await missingDates(tx, series, plan);
  await updateSeries(tx, series, plan.dueAt);
  if (dates.length > 0) await recordEventChanges(tx, [await writeDates(tx, series, { dates }, now)]);
}

type Services = { db: Database; clock: () => Date };

const seriesPerRun = 1_000;

/** Makes the occurrences that are due, of each series in a transaction of its own. */
export async function makeDueDates({ db, clock }: Services): Promise<void> {
  const due = await db.query<{ id: string; organizerId: string }>(sql`
    select id, organizer_id from series where due_at <= ${clock()} order by due_at limit ${seriesPerRun}`);
  for (const { id, organizerId } of due)
    await transaction(db, async (tx) => {
      // A suspended organizer's events are hidden: the dates are made once the account is restored.
      const [organizer] = await tx.query(sql`
        select 1 from users where id = ${organizerId} and suspended_at is null
        for key share ${skipLockedUnless(false)}`);
      const now = clock();
      const series = organizer ? await lockSeries(tx, id) : null;
      if (series && (await isDue(tx, id, now))) await makeMissing(tx, series, now);
    });
}

/** Another server may have made the dates while this one waited for the lock. */
const isDue = async (tx: Transaction, id: string, now: Date): Promise<boolean> =>
  (await tx.query(sql`select 1 from series where id = ${id} and due_at <= ${now}`)).length > 0;
