/** The rules that the form of a repetition offers, by the first date. */
import type { Event } from '@potluck/client';
import { dayMs } from '#lib/language/format.ts';
import { dateFormatter } from '#lib/language/formatters.ts';
import { getLocale } from '#lib/language/languages.ts';
import { m } from '#lib/messages/index.js';

const nth = [
  m.organizer_repeat_month_1,
  m.organizer_repeat_month_2,
  m.organizer_repeat_month_3,
  m.organizer_repeat_month_4,
];

type Repetition = { rule: string; label: string; hint?: string };

/** @returns rules with their labels, the usual one first. `hint`: which months have no date */
export function repetitionsOf({ startAt, timezone }: Pick<Event, 'startAt' | 'timezone'>): Repetition[] {
  const at = new Date(startAt);
  const part = (language: string, options: Intl.DateTimeFormatOptions, time = at) =>
    dateFormatter(language, { timeZone: timezone, ...options }).format(time);
  const weekday = part(getLocale(), { weekday: 'long' });
  const code = part('en', { weekday: 'short' }).slice(0, 2).toUpperCase();
  const day = Number(part('en', { day: 'numeric' }));
  const week = Math.ceil(day / 7);
  const inMonth = nth[week - 1] ?? m.organizer_repeat_month_last;
  const isLastDay = part('en', { day: 'numeric' }, new Date(at.getTime() + dayMs)) === '1';
  const left = { hint: m.organizer_repeat_months_left({ day: `${day}` }) };
  return [
    { rule: `FREQ=WEEKLY;BYDAY=${code}`, label: m.organizer_repeat_week({ weekday }) },
    { rule: `FREQ=WEEKLY;INTERVAL=2;BYDAY=${code}`, label: m.organizer_repeat_two_weeks({ weekday }) },
    { rule: `FREQ=MONTHLY;BYDAY=${week > 4 ? -1 : week}${code}`, label: inMonth({ weekday }) },
    ...(isLastDay ? [{ rule: 'FREQ=MONTHLY;BYMONTHDAY=-1', label: m.organizer_repeat_last_day() }] : []),
    {
      rule: `FREQ=MONTHLY;BYMONTHDAY=${day}`,
      label: m.organizer_repeat_day({ day: `${day}` }),
      ...(day > 28 && left),
    },
  ];
}

/** The rule of the form. `until`: the last day, or empty. */
export function ruleOf({ how, rule, until }: { how: string; rule: string; until: string }): string {
  const chosen = how === 'own' ? rule.trim().replace(/^RRULE:/i, '') : how;
  return /^\d{4}-\d\d-\d\d$/.test(until) ? `${chosen};UNTIL=${until.replaceAll('-', '')}` : chosen;
}
