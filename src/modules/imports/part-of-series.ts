/** The part of a series that RANGE=THISANDFUTURE begins, or ends. */
import {
  formatDate,
  type LocalTime,
  lastDateBefore,
  localTime,
  readDate,
  type Schedule,
} from '../events/series/schedule.ts';
import { beginningAt, endedAt } from '../events/series/split.ts';
import type { ChosenEntry, ChosenSeries } from './choose-dates.ts';
import { moveRule } from './move-rule.ts';
import type { Calendar } from './parse-calendar.ts';
import type { SaidDates } from './said-dates.ts';
import { localDateOf } from './series-dates.ts';

/** `move`: the date of the part that a date of the file is. */
export type Part = SaidDates & { move: (date: LocalTime) => LocalTime };

/** The dates from RANGE=THISANDFUTURE on, or before it. Null without any. @throws RuleError */
export function partOf(
  { series }: ChosenEntry & { series: ChosenSeries },
  said: SaidDates,
  calendar: Calendar,
): Part | null {
  const [from, until] = [series.from, series.until].map(
    (time) => time && localDateOf(time, said.frame, calendar),
  );
  const last = until && lastDateBefore(said.schedule, until);
  if (until && !last) return null;
  const schedule = until && last ? endedAt(said.schedule, last, until) : said.schedule;
  if (!from) return { ...said, schedule, move: (date) => date };
  const { timezone, startAt } = said.fields;
  const start = localTime(startAt, timezone).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const shift = from.until(start, { largestUnit: 'day' });
  const move = (date: LocalTime) => date.add(shift);
  return { ...said, schedule: moveDates(beginningAt(schedule, from), move, shift.days), move };
}

/** @throws RuleError for a rule whose days cannot be moved */
function moveDates(schedule: Schedule, move: Part['move'], days: number): Schedule {
  const { rule, first, extra, excluded, allDay } = schedule;
  const moveText = (text: string) => {
    const date = readDate(text, allDay);
    return date ? [formatDate(move(date), allDay)] : [];
  };
  return {
    ...schedule,
    rule: { ...moveRule(rule, days), until: rule.until && move(rule.until) },
    first: move(first),
    extra: extra.map(move),
    excluded: new Set([...excluded].flatMap(moveText)),
  };
}
