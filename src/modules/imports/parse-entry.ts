/** Parses a VEVENT into the fields of an event. What cannot be read is left out or mended, and noted. */
import type { Coordinates } from '#record-index';
import { fold, isVisibleLine } from '../../lib/text.ts';
import { categories } from '../events/catalogue.ts';
import { textOf, textsOf } from './content-line.ts';
import { describeProperties } from './describe.ts';
import { EntryError, toIssue } from './entry-error.ts';
import { limits } from './entry-limits.ts';
import type { EntryPrice } from './entry-price.ts';
import {
  type EntryPeriod,
  isAllDay,
  namedZone,
  noteUnknownZone,
  type ReadTimes,
  toEventTimes,
  zonesOf,
} from './entry-times.ts';
import { withoutEntities } from './html-text.ts';
import { limit, oneLine } from './lines.ts';
import type { Calendar, EventBlock } from './parse-calendar.ts';
import { allDayByFlag, readPeriod } from './read-period.ts';
import { readPlace } from './read-place.ts';
import { type Properties, readProperties } from './read-properties.ts';
import { type Repetition, readRepetition } from './repetition.ts';
import type { EntryIssue } from './report.ts';
import type { EntryOnline } from './where-online.ts';

/** A VEVENT, as it is in the file: a series is one entry, and a changed date of it is another. */
export type CalendarEntry = {
  line: number;
  /** Empty without a UID. */
  uid: string;
  /** If entries of a file are the same, the highest sequence is imported, and of equal ones the latest change. */
  sequence: number;
  /** LAST-MODIFIED, as text that sorts like time. */
  modified: string;
  title: string;
  description: string;
  period: EntryPeriod;
  /** RECURRENCE-ID, RRULE, RDATE and EXDATE. */
  repetition: Repetition;
  /** In one line; empty without LOCATION. */
  address: string;
  /** LOCATION with its line breaks, which separate the parts of an address. */
  lines: string;
  geo: Coordinates | null;
  /** The zones that the entry names as those of its place, the likeliest first; empty for none. */
  zones: string[];
  /** Null, here and below, if the entry does not set it. */
  timezone: string | null;
  category: string | null;
  status: 'scheduled' | 'cancelled' | null;
  visibility: 'public' | 'private' | null;
  /** What calendars do not say of their entries. */
  online?: EntryOnline | null;
  price?: EntryPrice | null;
  /** Whether the entry says that its date is not certain. */
  isDateDoubtful?: boolean;
  /** Parts of the entry that were omitted, shortened or mended. */
  notes: string[];
};

/** The entries of a file, and what it says of all of them. Each kind of file has a reader that returns it. */
export type FileEntries = { calendar: Calendar; parsed: (CalendarEntry | EntryIssue)[] };

/** @returns an EntryIssue if the entry has no title or no date */
export function parseEntry(block: EventBlock, calendar: Calendar): CalendarEntry | EntryIssue {
  const notes: string[] = [];
  const properties = readProperties(block, notes);
  const text = (name: string) => textOf(properties.get(name)?.[0]);
  const title = oneLine(withoutEntities(text('SUMMARY')));
  try {
    // A cancellation may have nothing but the UID of what it cancels.
    if (!isVisibleLine(title) && !calendar.isCancelling) throw new EntryError('title', 'has no SUMMARY');
    const period = allDayByFlag(readPeriod(properties, notes, calendar), text('X-MICROSOFT-CDO-ALLDAYEVENT'));
    noteUnknownZone(period, calendar, notes);
    return {
      line: block.line,
      uid: text('UID'),
      sequence: Number(text('SEQUENCE')) || 0,
      modified: text('LAST-MODIFIED').replaceAll(/\D/g, ''),
      title: limit('SUMMARY', title, limits.title, notes),
      description: describeProperties(properties, limits.description, notes),
      period,
      repetition: readRepetition(properties, notes),
      ...readPlace(properties, notes),
      zones: zonesOf(period, calendar),
      timezone: namedZone(period, calendar),
      category: findCategory(properties),
      status: calendar.isCancelling ? 'cancelled' : (statuses[text('STATUS').toUpperCase()] ?? null),
      visibility: visibilities[text('CLASS').toUpperCase()] ?? null,
      notes,
    };
  } catch (error) {
    return toIssue(error, { line: block.line, title });
  }
}

/** The times of an entry in a zone. @throws EntryError */
export function timesOf(
  period: EntryPeriod,
  timezone: string,
  calendar: Calendar,
): ReadTimes & { allDay: boolean } {
  try {
    return { ...toEventTimes(period, timezone, calendar), allDay: isAllDay(period) };
  } catch (error) {
    throw new EntryError('date', (error as Error).message);
  }
}

const statuses: Record<string, 'scheduled' | 'cancelled'> = {
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
  CONFIRMED: 'scheduled',
  TENTATIVE: 'scheduled',
};
const visibilities: Record<string, 'public' | 'private'> = {
  PUBLIC: 'public',
  PRIVATE: 'private',
  CONFIDENTIAL: 'private',
};

const findCategory = (properties: Properties): string | null =>
  categoryOf((properties.get('CATEGORIES') ?? []).slice(0, 20).flatMap(textsOf));

/** The first category that one of the names stands for. */
export function categoryOf(written: string[]): string | null {
  const names = written.map((name) => fold(name).trim());
  const known = categories.find(({ slug, name }) => names.includes(slug) || names.includes(fold(name)));
  return known?.slug ?? null;
}
