/** The rule of a series, its further and its removed dates, and the date that an entry replaces. */

import type { Property } from './content-line.ts';
import { type EntryTime, parseEntryTime } from './entry-times.ts';
import { firstOf, type Properties } from './read-properties.ts';
import { parseRule, type Rule } from './repeat-rule.ts';

export type Repetition = {
  /** Whether the entry repeats, also if its rule cannot be read. */
  isSeries: boolean;
  rule: Rule | null;
  added: EntryTime[];
  removed: EntryTime[];
  /** RECURRENCE-ID, and its line as the file has it, which earlier imports used as a key. */
  replaces: { time: EntryTime; raw: string } | null;
};

const maxDates = 500;

export function readRepetition(properties: Properties, notes: string[]): Repetition {
  const written = firstOf(properties, 'RRULE');
  const rule = written ? parseRule(written.value) : null;
  if (written && !rule) notes.push('its rule cannot be read; its first date was imported');
  const added = timesIn(properties.get('RDATE') ?? []);
  const replaced = firstOf(properties, 'RECURRENCE-ID');
  const time = replaced ? parseEntryTime(replaced) : null;
  return {
    isSeries: written !== undefined || added.length > 0,
    rule,
    added,
    removed: timesIn(properties.get('EXDATE') ?? []),
    replaces: replaced && time ? { time, raw: rawOf(replaced) } : null,
  };
}

/** Of a period, its start. */
function timesIn(properties: Property[]): EntryTime[] {
  const times: EntryTime[] = [];
  for (const { value, parameters } of properties) {
    for (const text of value.split(',', maxDates - times.length)) {
      const time = parseEntryTime({ value: text.split('/', 1)[0] ?? '', parameters });
      if (time) times.push(time);
    }
  }
  return times;
}

const rawOf = ({ name, parameters, value }: Property): string =>
  [name, ...[...parameters].map(([parameter, text]) => `;${parameter}=${text}`), `:${value}`].join('');
