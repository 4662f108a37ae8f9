/** What announcements are about: an event, or a series with its coming dates. */
import { type Queryable, type Statement, sql } from '#pg';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { eventSubject, findSeriesSubject, type Subject as People } from '../../outbox/audiences.ts';
import { requireOrganizer } from '../events/policy.ts';
import { findEvent } from '../events/repo.ts';
import { findSeries, type Series } from '../events/series/repo.ts';
import { lastDate, timesOf } from '../events/series/schedule.ts';
import { isVisible } from '../events/series/visible-series.ts';
import { invitedIn, isVisibleTo } from '../events/standings.ts';

/**
 * `status`: a series is cancelled if all its coming dates are. `isHidden`: whether an admin hides the event, or all these dates.
 * `endAt`: null for a series without end. `people`: whose lists an announcement reaches.
 */
export type Subject = {
  id: string;
  isOfSeries: boolean;
  organizerId: string;
  title: string;
  status: 'scheduled' | 'cancelled';
  /** Also by the suspension of the organizer. */
  isHidden: boolean;
  isHiddenByAdmin: boolean;
  endAt: Date | null;
  people: People;
};

/** `isOfSeries`: which of the two has the id. */
export type SubjectKey = { subjectId: string; isOfSeries: boolean };

export const notFound = ({ isOfSeries }: SubjectKey): Problem =>
  new Problem(isOfSeries ? 'series_not_found' : 'event_not_found');

/** A statement that a lock can follow. */
export const selectSubject = ({ subjectId, isOfSeries }: SubjectKey): Statement =>
  isOfSeries
    ? sql`select 1 from series where id = ${subjectId}`
    : sql`select 1 from events where id = ${subjectId}`;

/** Finds what an announcement is about. Null for an unknown id, and for what the viewer may not see. @param viewer undefined: for all */
export async function findSubject(
  db: Queryable,
  { subjectId: id, isOfSeries }: SubjectKey,
  now: Date,
  viewer?: Viewer | null,
): Promise<Subject | null> {
  if (isOfSeries) {
    const series = await findSeries(db, id);
    if (!series || (viewer !== undefined && !(await isVisible(db, series, viewer)))) return null;
    return await toSeriesSubject(db, series, now);
  }
  const event = await findEvent(db, id);
  if (viewer !== undefined && !(await isVisibleTo(invitedIn(db), id, event, viewer))) return null;
  if (!event) return null;
  const { organizerId, title, status, endAt, hidden, hiddenAt } = event;
  return {
    ...{ id, isOfSeries, organizerId, title, status, endAt, isHidden: hidden },
    isHiddenByAdmin: hiddenAt !== null,
    people: eventSubject(id),
  };
}

type DateRow = { id: string; status: string; hidden: boolean; hiddenAt: Date | null; endAt: Date };

async function toSeriesSubject(db: Queryable, series: Series, now: Date): Promise<Subject> {
  const { id, organizerId, fields, schedule } = series;
  const people = await findSeriesSubject(db, id, now);
  const dates = await db.query<DateRow>(
    sql`select id, status, hidden, hidden_at, end_at from events where id = any(${people.eventIds}::uuid[])`,
  );
  const isAll = (holds: (date: DateRow) => boolean) => dates.length > 0 && dates.every(holds);
  return {
    ...{ id, isOfSeries: true, organizerId, title: fields.title, people },
    status: isAll(({ status }) => status === 'cancelled') ? 'cancelled' : 'scheduled',
    isHidden: isAll(({ hidden }) => hidden),
    isHiddenByAdmin: isAll(({ hiddenAt }) => hiddenAt !== null),
    endAt: endOf(schedule, dates),
  };
}

/** The end of the last date, also of one that was moved behind it. */
function endOf(schedule: Series['schedule'], dates: DateRow[]): Date | null {
  const { count, until } = schedule.rule;
  if (count === null && until === null) return null;
  const last = lastDate(schedule);
  const ends = dates.map(({ endAt }) => endAt.getTime());
  return new Date(Math.max(...ends, last ? timesOf(schedule, last).endAt.getTime() : 0));
}

/** @throws Problem `event_not_found` or `series_not_found`; `not_organizer` */
export async function findOwnSubject(
  db: Queryable,
  key: SubjectKey,
  caller: Caller,
  now: Date,
): Promise<Subject> {
  const subject = await findSubject(db, key, now, caller);
  if (!subject) throw notFound(key);
  requireOrganizer(subject, caller);
  return subject;
}
