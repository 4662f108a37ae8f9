/** Makes a series with its coming occurrences. */
import type { Transaction } from '#pg';
import type { EventChanges } from '../events/event-writes.ts';
import { asEntered, type ShownPlace } from '../events/public-place.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { insertSeries, type Series } from '../events/series/repo.ts';
import { type EventUpdate, writeUpdates } from '../events/update-events.ts';
import { writeDates } from './make-dates.ts';
import { type DateChange, newDates } from './own-dates.ts';

/**
 * `isNews`: the followers of the organizer are notified of the first date. `changes`: what single dates have of their own. `joining`:
 * events that become occurrences, by their dates; the transaction must hold their locks.
 */
type Start = {
  isNews?: boolean;
  changes?: DateChange[];
  joining?: { date: string; update: EventUpdate }[];
  shownPlace?: ShownPlace;
};

/**
 * Makes a series and its coming occurrences, without recording the changes. The transaction must have required room for it
 * (`requireRoom`).
 */
export async function startSeries(
  tx: Transaction,
  series: Series,
  { isNews = false, changes = [], joining = [], shownPlace = asEntered }: Start,
  now: Date,
): Promise<EventChanges[]> {
  const plan = planOf(series, now);
  await insertSeries(tx, series, plan.dueAt);
  const joined = new Set(joining.map(({ date }) => date));
  const updated = await writeUpdates(
    tx,
    joining.map(({ update }) => update),
    now,
  );
  const dates = newDates(
    series,
    plan.dates.filter(({ date }) => !joined.has(date)),
    changes.filter(({ date }) => !joined.has(date)),
    { shownPlace, now },
  );
  return [updated, await writeDates(tx, series, { dates, isNews }, now)];
}
