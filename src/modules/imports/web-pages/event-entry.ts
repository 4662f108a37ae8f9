/** Reads an event of JSON-LD into an entry, as the reader of calendars reads a VEVENT. */
import { isVisibleLine } from '../../../lib/text.ts';
import { describe } from '../describe.ts';
import { EntryError, toIssue } from '../entry-error.ts';
import { limits } from '../entry-limits.ts';
import { namedZone, zonesOf } from '../entry-times.ts';
import { plainText, withoutEntities } from '../html-text.ts';
import { limit, oneLine } from '../lines.ts';
import type { Calendar } from '../parse-calendar.ts';
import type { CalendarEntry } from '../parse-entry.ts';
import type { EntryIssue } from '../report.ts';
import { readEventPeriod } from './event-period.ts';
import { readEventPlace } from './event-place.ts';
import { readEventPrice } from './event-price.ts';
import { readSchedule } from './event-schedule.ts';
import type { FoundEvent } from './find-events.ts';
import { localName, type Node, type References, textIn, typesOf } from './json-ld.ts';

/** @returns an EntryIssue for an event without a name or a date that can be read */
export function readEvent(
  { node, parent, line }: FoundEvent,
  references: References,
  calendar: Calendar,
): CalendarEntry | EntryIssue {
  const notes: string[] = [];
  const inherited = parent ?? {};
  const title = oneLine(withoutEntities(textIn(node, 'name', 'headline')));
  try {
    if (!isVisibleLine(title)) throw new EntryError('title', 'has no name');
    const period = readEventPeriod(node, notes);
    const place = readEventPlace(node, inherited, references, notes);
    const status = localName(textIn(node, 'eventStatus') || textIn(inherited, 'eventStatus'));
    const isPostponed = status === 'EventPostponed';
    if (isPostponed) notes.push('is postponed, and its new date is not known');
    const start = textIn(node, 'startDate');
    return {
      line,
      uid: uidOf(node) || [title, start, place.address].join('\n'),
      sequence: 0,
      modified: '',
      title: limit('name', title, limits.title, notes),
      description: describe(
        { text: plainText(textIn(node, 'description')), url: urlOf(node) },
        limits.description,
        notes,
      ),
      period,
      repetition: readSchedule(node, period.start, references, notes),
      ...place,
      price: readEventPrice(node, inherited, references, notes),
      zones: zonesOf(period, calendar),
      timezone: namedZone(period, calendar),
      category:
        typesOf(node)
          .map((type) => categories[type])
          .find((slug) => slug !== undefined) ?? null,
      status: status === 'EventCancelled' ? 'cancelled' : status === '' ? null : 'scheduled',
      isDateDoubtful: isPostponed,
      visibility: null,
      notes,
    };
  } catch (error) {
    return toIssue(error, { line, title });
  }
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** An address identifies the event. Relative ones are the same on many pages. */
const uidOf = (node: Node): string => ['@id', 'url'].map((name) => textIn(node, name)).find(isAddress) ?? '';

const urlOf = (node: Node): string => {
  const url = textIn(node, 'url');
  return isAddress(url) ? url : '';
};

const categories: Record<string, string> = {
  MusicEvent: 'music',
  FoodEvent: 'food',
  SportsEvent: 'sports',
  TheaterEvent: 'arts',
  DanceEvent: 'arts',
  ExhibitionEvent: 'arts',
  VisualArtsEvent: 'arts',
  LiteraryEvent: 'arts',
  ComedyEvent: 'arts',
  ScreeningEvent: 'film',
  ChildrensEvent: 'family',
  EducationEvent: 'learning',
  CourseInstance: 'learning',
  Hackathon: 'tech',
  SocialEvent: 'community',
};
