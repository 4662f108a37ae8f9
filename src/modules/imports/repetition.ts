/** The rule of a series, its further and its removed dates, and the date that an entry replaces. */

import type { Property } from './content-line.ts';
import { type EntryPeriod, type EntryTime, parseDuration, parseEntryTime } from './entry-times.ts';
import { firstOf, type Properties } from './read-properties.ts';

export type Repetition = {
  /** Whether the entry repeats, also if its rule cannot be read. */
  isSeries: boolean;
  /** The value of RRULE. */
  rule: string | null;
  /** Without an end, one has the length of the entry. */
  added: EntryPeriod[];
  removed: EntryTime[];
  /** RECURRENCE-ID, and its line as the file has it, which earlier imports used as a key. `isFollowing`: it replaces all later dates too. */
  replaces: { time: EntryTime; raw: string; isFollowing: boolean } | null;
};

/** Of an entry that does not repeat. */
export const once: Repetition = { isSeries: false, rule: null, added: [], removed: [], replaces: null };

const maxDates = 2_000;

export function readRepetition(properties: Properties, notes: string[]): Repetition {
  const rules = new Set((properties.get('RRULE') ?? []).map(({ value }) => value.trim()));
  if (rules.size > 1) notes.push('it has several rules; the first one was read');
  const added = periodsIn(properties.get('RDATE') ?? []);
  const replaced = firstOf(properties, 'RECURRENCE-ID');
  const time = replaced ? parseEntryTime(replaced) : null;
  const isFollowing = replaced?.parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE';
  const rule = firstOf(properties, 'RRULE')?.value.trim() ?? null;
  return {
    isSeries: rule !== null || added.length > 0,
    rule,
    added,
    removed: periodsIn(properties.get('EXDATE') ?? []).map(({ start }) => start),
    replaces: replaced && time ? { time, raw: rawOf(replaced), isFollowing } : null,
  };
}

/** Times, and periods from a start to an end or of a length. */
function periodsIn(properties: Property[]): EntryPeriod[] {
  const periods: EntryPeriod[] = [];
  for (const { value, parameters } of properties) {
    for (const text of value.split(',', maxDates - periods.length)) {
      const [from = '', to = ''] = text.split('/', 2);
      const start = parseEntryTime({ value: from, parameters });
      const isLength = /^\s*[+-]?P/i.test(to);
      if (start)
        periods.push({
          start,
          end: to === '' || isLength ? null : parseEntryTime({ value: to, parameters }),
          duration: isLength ? parseDuration(to) : null,
        });
    }
  }
  return periods;
}

const rawOf = ({ name, parameters, value }: Property): string =>
  [name, ...[...parameters].map(([parameter, text]) => `;${parameter}=${text}`), `:${value}`].join('');
