/** How an event of JSON-LD repeats: a Schedule of schema.org, as the rule of a calendar. */
import { type EntryTime, parseEntryTime } from '../entry-times.ts';
import { once, type Repetition } from '../repetition.ts';
import { isNode, localName, type Node, objectsOf, type References, textIn, valuesOf } from './json-ld.ts';

/** A schedule that says no rule is left out, and noted. */
export function readSchedule(
  node: Node,
  start: EntryTime,
  references: References,
  notes: string[],
): Repetition {
  const schedules = objectsOf(node.eventSchedule, references).filter(isNode);
  const [schedule] = schedules;
  if (!schedule) return once;
  const rule = schedules.length === 1 ? ruleOf(schedule, start) : null;
  if (rule === null) {
    notes.push('its schedule cannot be read; its first date was imported');
    return once;
  }
  const removed = valuesOf(schedule.exceptDate).flatMap((value) => timeOf(value) ?? []);
  return { ...once, isSeries: true, rule, removed };
}

const timeOf = (value: unknown): EntryTime | null =>
  typeof value === 'string' ? parseEntryTime({ value, parameters: new Map() }) : null;

const frequencies: Record<string, string> = {
  daily: 'FREQ=DAILY',
  weekly: 'FREQ=WEEKLY',
  biweekly: 'FREQ=WEEKLY;INTERVAL=2',
  monthly: 'FREQ=MONTHLY',
  yearly: 'FREQ=YEARLY',
  annually: 'FREQ=YEARLY',
};
const units: Record<string, string> = { D: 'DAILY', W: 'WEEKLY', M: 'MONTHLY', Y: 'YEARLY' };

/** A duration such as P2W, or a word. */
function frequencyOf(text: string): string | null {
  const [, interval = '', unit = ''] = /^P(\d{1,4})([DWMY])$/i.exec(text) ?? [];
  const named = units[unit.toUpperCase()];
  return named ? `FREQ=${named};INTERVAL=${Number(interval)}` : (frequencies[text.toLowerCase()] ?? null);
}

function ruleOf(schedule: Node, start: EntryTime): string | null {
  const frequency = frequencyOf(textIn(schedule, 'repeatFrequency'));
  if (frequency === null) return null;
  const week = textIn(schedule, 'byMonthWeek');
  const days = valuesOf(schedule.byDay).map((day) => dayOf(day, frequency.includes('MONTHLY') ? week : ''));
  if (days.includes(null)) return null;
  const count = textIn(schedule, 'repeatCount');
  const parts = {
    BYDAY: days.join(),
    BYMONTHDAY: valuesOf(schedule.byMonthDay).join(),
    BYMONTH: valuesOf(schedule.byMonth).join(),
    // A rule has one end.
    ...(count === '' ? { UNTIL: untilOf(textIn(schedule, 'endDate'), start) } : { COUNT: count }),
  };
  return [
    frequency,
    ...Object.entries(parts).flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])),
  ].join(';');
}

/** The last day is part of the schedule. */
function untilOf(text: string, start: EntryTime): string {
  const end = timeOf(text);
  if (!end) return '';
  const date = end.local.toPlainDate().toString().replaceAll('-', '');
  return end.isDate || start.isDate ? date : `${date}T235959`;
}

/** "https://schema.org/Tuesday", or a day as a rule has it, such as 2TU. @returns null for another text */
function dayOf(value: unknown, week: string): string | null {
  if (typeof value !== 'string') return null;
  const name = localName(value);
  if (/^[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)$/.test(name)) return name;
  const isDay = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$/.test(name);
  return isDay && /^-?\d?$/.test(week) ? `${week}${name.slice(0, 2).toUpperCase()}` : null;
}
