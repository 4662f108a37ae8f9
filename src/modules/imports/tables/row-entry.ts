/** Reads a row of a table into an entry, as the reader of calendars reads a VEVENT. */
import { isVisibleLine } from '../../../lib/text.ts';
import { describe } from '../describe.ts';
import { EntryError, toIssue } from '../entry-error.ts';
import { limits } from '../entry-limits.ts';
import { namedZone, noteUnknownZone, zonesOf } from '../entry-times.ts';
import { plainText, withoutEntities } from '../html-text.ts';
import { limit, oneLine } from '../lines.ts';
import type { Calendar } from '../parse-calendar.ts';
import { type CalendarEntry, categoryOf } from '../parse-entry.ts';
import { once } from '../repetition.ts';
import type { EntryIssue } from '../report.ts';
import { readOnline } from '../where-online.ts';
import { readRowPeriod } from './row-period.ts';
import { readRowPlace } from './row-place.ts';
import { readRowPrice } from './row-price.ts';
import type { Cells } from './table.ts';

/** @returns an EntryIssue for a row without a title or a date that can be read */
export function readRow(cells: Cells, calendar: Calendar): CalendarEntry | EntryIssue {
  const notes: string[] = [];
  const title = oneLine(withoutEntities(cells.text('title')));
  try {
    if (!isVisibleLine(title)) throw new EntryError('title', `has no "${cells.heading('title')}"`);
    const period = readRowPeriod(cells, notes);
    noteUnknownZone(period, calendar, notes);
    return {
      line: cells.line,
      uid: readUid(cells),
      sequence: 0,
      modified: '',
      title: limit('title', title, limits.title, notes),
      description: describe(
        { text: plainText(cells.text('description')), url: cells.text('url') },
        limits.description,
        notes,
      ),
      period,
      repetition: once,
      ...readRowPlace(cells, notes),
      online: readOnline({
        address: cells.text('onlineUrl'),
        place: cells.text('location') || cells.text('venue'),
      }),
      price: readRowPrice(cells, notes),
      zones: zonesOf(period, calendar),
      timezone: namedZone(period, calendar),
      category: categoryOf(cells.text('category').split(/[,;|]/, 20)),
      status: cancelled.test(cells.text('status')) ? 'cancelled' : null,
      visibility: isPrivate.test(cells.text('visibility')) ? 'private' : null,
      notes,
    };
  } catch (error) {
    return toIssue(error, { line: cells.line, title });
  }
}

/** Short ids are numbers of rows, which other tables of the person have too. */
const minUid = 6;
const readUid = (cells: Cells): string => {
  const uid = cells.text('uid');
  return uid.length >= minUid ? uid : '';
};

const cancelled =
  /^(?:cancell?ed|abgesagt|inställ[dt]|avlyst|aflyst|geannuleerd|annulée?|cancelad[oa]|annullat[oa]|odwołan[ea]|peruttu|отменено|ملغ[ىي])$/iu;
const isPrivate =
  /^(?:true|yes|private|confidential|privat|vertraulich|wahr|ja|privé|privad[oa]|privat[oa]|personal|sí|sim|vrai|oui|x|1|خاص|نعم)$/iu;
