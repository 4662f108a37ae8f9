/** SQL of series. Their occurrences are events. */
import { assignments, insertValues, type Queryable, type Statement, sql, type Transaction } from '#pg';
import { formatRule, parseRule } from '#recurrence';
import type { EventFieldName } from '../event-fields.ts';
import { fieldNames } from '../event-fields.ts';
import type { StoredFields } from '../exact-place.ts';
import { clockOf, formatDate, readDate, type Schedule, type Times } from './schedule.ts';

/** The fields of new occurrences, without their times. */
export type SeriesFields = Omit<StoredFields, keyof Times>;

/** `status`: `ended` for a series that was cancelled or deleted from a date on. `items`: as modules/series writes them. */
export type Series = {
  id: string;
  organizerId: string;
  schedule: Schedule;
  fields: SeriesFields;
  items: unknown[];
  status: 'active' | 'ended';
  createdAt: Date;
};

type Row = Omit<Series, 'schedule'> & {
  rrule: string;
  extraDates: string[];
  excludedDates: string[];
  deletedDates: string[];
  firstDate: string;
  timezone: string;
  allDay: boolean;
  length: string;
  closesBefore: string | null;
};

const timeNames: EventFieldName[] = ['startAt', 'endAt', 'rsvpUntil', 'timezone', 'allDay'];
const templateNames = fieldNames.filter((name) => !timeNames.includes(name));

/** What a series keeps of the fields of an event. */
export const seriesFieldsOf = (event: StoredFields): SeriesFields =>
  ({
    ...Object.fromEntries(templateNames.map((name) => [name, event[name]])),
    status: 'scheduled',
    ...(event.exactPlace && { exactPlace: { ...event.exactPlace, moves: 0 } }),
  }) as SeriesFields;

const columns = sql`
  id, organizer_id, rrule, extra_dates, excluded_dates, deleted_dates, first_date, timezone, all_day, length, closes_before, fields, items,
  status, created_at`;

export const selectSeries = (selection: Statement): Statement =>
  sql`select ${columns} from series ${selection}`;

export async function listSeriesRows(db: Queryable, selection: Statement): Promise<Series[]> {
  return (await db.query<Row>(selectSeries(selection))).map(fromRow);
}

export async function findSeries(db: Queryable, id: string): Promise<Series | null> {
  const [series] = await listSeriesRows(db, sql`where id = ${id}`);
  return series ?? null;
}

/** Locks a series: its dates are made, moved and removed under this lock. */
export async function lockSeries(tx: Transaction, id: string): Promise<Series | null> {
  const [series] = await listSeriesRows(tx, sql`where id = ${id} for update`);
  return series ?? null;
}

/** Keeps the dates of a series as they are, while others answer it too. */
export async function shareSeries(tx: Transaction, id: string): Promise<Series | null> {
  const [series] = await listSeriesRows(tx, sql`where id = ${id} for key share`);
  return series ?? null;
}

/** @param dueAt when the next occurrence is to be made */
export async function insertSeries(tx: Transaction, series: Series, dueAt: Date | null): Promise<void> {
  const { id, organizerId, createdAt } = series;
  const row = { id, organizer_id: organizerId, created_at: createdAt, ...written(series, dueAt) };
  await tx.execute(sql`insert into series ${insertValues(row)}`);
}

/**
 * Stores what has changed. The transaction must hold the lock of the series.
 * @param revision of a change that calendars show: its time, and the occurrences that the series loses
 */
export async function updateSeries(
  tx: Transaction,
  series: Series,
  dueAt: Date | null,
  revision?: { at: Date; lost: { sequence: number }[] },
): Promise<void> {
  const raised = revision?.lost.reduce((sum, { sequence }) => sum + sequence, 1);
  const revised = revision
    ? sql`, sequence = sequence + ${raised}::integer, changed_at = ${revision.at}`
    : sql``;
  await tx.execute(sql`
    update series set ${assignments(written(series, dueAt))} ${revised} where id = ${series.id}`);
}

/**
 * The version of a series for calendars: it rises with each change of the series and of an occurrence that calendars show. Occurrences
 * change without the lock of the series, so it is a sum.
 */
export async function findSeriesVersion(
  db: Queryable,
  id: string,
): Promise<{ sequence: number; changedAt: Date | null }> {
  const [row] = await db.query<{ sequence: number; changedAt: Date | null }>(sql`
    select s.sequence + coalesce((select sum(e.sequence) from events e where e.series_id = ${id}), 0)::integer as sequence,
      s.changed_at
    from series s where s.id = ${id}`);
  return row ?? { sequence: 0, changedAt: null };
}

export async function deleteSeries(tx: Transaction, id: string): Promise<void> {
  await tx.execute(sql`delete from series where id = ${id}`);
}

function written({ schedule, fields, items, status }: Series, dueAt: Date | null): Record<string, unknown> {
  const { rule, first, extra, excluded, deleted, timezone, allDay, length, closesBefore } = schedule;
  return {
    rrule: formatRule(rule, clockOf(schedule)),
    extra_dates: extra.map((date) => formatDate(date, allDay)),
    excluded_dates: [...excluded].sort(),
    deleted_dates: [...deleted].sort(),
    first_date: formatDate(first, allDay),
    ...{ timezone, all_day: allDay },
    length: length.toString(),
    closes_before: closesBefore?.toString() ?? null,
    fields: sql`${JSON.stringify(fields)}::jsonb`,
    items: sql`${JSON.stringify(items)}::jsonb`,
    status,
    due_at: dueAt,
  };
}

function fromRow({
  rrule,
  extraDates,
  excludedDates,
  deletedDates,
  firstDate,
  length,
  closesBefore,
  ...row
}: Row): Series {
  const { timezone, allDay, ...series } = row;
  const read = (text: string) => {
    const date = readDate(text, allDay);
    if (!date) throw new Error(`series ${series.id} has the date ${text}`);
    return date;
  };
  return {
    ...series,
    schedule: {
      ...{ timezone, allDay },
      rule: parseRule(rrule, clockOf({ timezone, allDay })),
      first: read(firstDate),
      extra: extraDates.map(read),
      excluded: new Set(excludedDates),
      deleted: new Set(deletedDates),
      length: Temporal.Duration.from(length),
      closesBefore: closesBefore === null ? null : Temporal.Duration.from(closesBefore),
    },
  };
}
