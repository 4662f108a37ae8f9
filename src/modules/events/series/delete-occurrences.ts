/** Deletes occurrences of a series. */
import type { FastifyRequest } from 'fastify';
import { sql, type Transaction } from '#pg';
import { requireMatch } from '../../../http/conditional.ts';
import type { Caller } from '../../../identity/caller.ts';
import { lockGuestsOf } from '../../accounts/guests.ts';
import { deleteEvents } from '../delete-events.ts';
import { deleteSubjects } from '../delete-subjects.ts';
import { forgetSeriesContent } from '../imports.ts';
import { findOwnEvent } from '../require-own-event.ts';
import { versionAsEntered } from '../show-places.ts';
import { lockOccurrences, lockSeriesOf, type OccurrenceRow } from './occurrences.ts';
import { planOf } from './planned-dates.ts';
import { deleteSeries, type Series, updateSeries } from './repo.ts';
import { lastDateBefore, readDate } from './schedule.ts';
import type { Scope } from './scopes.ts';
import { endedAt } from './split.ts';

/**
 * Deletes the occurrences in scope: of `this`, the series leaves out its date; `following` ends the series; `all` deletes it with
 * every occurrence, past ones too. The lock of the series keeps the job from making a deleted date again.
 * @returns the number of deleted events
 * @throws Problem `event_not_found`, `not_organizer`, `precondition_failed`
 */
export async function deleteOccurrences(
  tx: Transaction,
  caller: Caller,
  request: FastifyRequest,
  { id, scope, now }: { id: string; scope: Scope; now: Date },
): Promise<number> {
  const { seriesId } = await findOwnEvent(tx, id, caller);
  const own = await tx.query<{ id: string }>(sql`select id from events where series_id = ${seriesId}`);
  await lockGuestsOf(
    tx,
    own.map(({ id }) => id),
  );
  const { series, event } = await lockSeriesOf(tx, id, caller);
  const rows = await lockOccurrences(tx, series.id, conditionOf(scope, event, now));
  const path = rows.find((row) => row.id === id) ?? event;
  requireMatch(request, await versionAsEntered(tx, path));
  const remaining = withoutDates(series, event, scope);
  if (remaining) await updateSeries(tx, remaining, planOf(remaining, now).dueAt, { at: now, lost: rows });
  else {
    await forgetSeriesContent(tx, series);
    await deleteSeries(tx, series.id);
    await deleteSubjects(tx, [series.id]);
  }
  await deleteEvents(tx, rows);
  return rows.length;
}

/** A condition on `events e`. */
function conditionOf(scope: Scope, { id, seriesDate }: OccurrenceRow, now: Date) {
  if (scope === 'all') return sql`true`;
  if (scope === 'this') return sql`e.id = ${id}`;
  return sql`(e.id = ${id} or e.series_date >= ${seriesDate} and e.end_at > ${now})`;
}

/** The series after the deletion; null if nothing is left of it. */
function withoutDates(series: Series, { seriesDate }: OccurrenceRow, scope: Scope): Series | null {
  const { schedule } = series;
  if (scope === 'this') {
    const deleted = new Set([...schedule.deleted, seriesDate]);
    return { ...series, schedule: { ...schedule, deleted } };
  }
  const at = readDate(seriesDate, schedule.allDay);
  const last = scope === 'following' && at ? lastDateBefore(schedule, at) : null;
  return at && last ? { ...series, status: 'ended', schedule: endedAt(schedule, last, at) } : null;
}
