/** The dates that the entry of a series says. */
import { mapInTurns, runInTurn } from '#base';
import { datesOf, lastDateOf, parseRule, type Rule, RuleError } from '#recurrence';
import type { EventFields } from '../events/event-fields.ts';
import { withDefaults } from '../events/event-rules.ts';
import {
  clockOf,
  compare,
  formatDate,
  type LocalTime,
  localTime,
  type Schedule,
  scheduleOfEvent,
} from '../events/series/schedule.ts';
import { onlyOnce } from '../events/series/split.ts';
import { maxDates } from '../series/schemas.ts';
import type { ChosenEntry, ChosenSeries } from './choose-dates.ts';
import type { EntryContent } from './entry-content.ts';
import { type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import { type Frame, localDateOf } from './series-dates.ts';

/** `schedule`: of the dates of the file; `frame`: of its times. */
export type SaidDates = { schedule: Schedule; frame: Frame; fields: EventFields };

/** @throws RuleError */
export async function readDates(
  { repetition, series, period }: ChosenEntry & { series: ChosenSeries },
  content: EntryContent,
  calendar: Calendar,
): Promise<SaidDates> {
  const { status: _, ...event } = content;
  const fields: EventFields = withDefaults(event);
  const { timezone, allDay } = fields;
  const began = series.origin.period.start;
  const begin = began === period.start ? fields.startAt : new Date(toInstant(began, timezone, calendar));
  const start = localTime(begin, timezone).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const frame = { timezone, allDay, clock: start.toPlainTime() };
  const rule = repetition.rule === null ? onlyOnce : readRule(repetition.rule, start, clockOf(fields));
  const [first] = await runInTurn(() => datesOf(rule, start, { limit: 1 }));
  if (!first) throw new RuleError('RRULE', 'gives no date in ten years');
  const at = (time: EntryTime) => localDateOf(time, frame, calendar);
  const added = await mapInTurns(repetition.added, (added) => at(added.start));
  const extra = uniqueDates(first.equals(start) ? added : [start, ...added]).slice(-maxDates);
  const excluded = await mapInTurns(repetition.removed, (time) => {
    const ofDay = (date: LocalTime) => date.toPlainDate().equals(time.local.toPlainDate());
    return time.isDate ? [at(time), ...extra.filter(ofDay)] : [at(time)];
  });
  const texts = uniqueDates(excluded.flat())
    .slice(-maxDates)
    .map((date) => formatDate(date, allDay));
  return {
    ...{ frame, fields },
    schedule: {
      ...scheduleOfEvent(fields, rule, { extra, excluded: new Set(texts) }),
      first,
    },
  };
}

/** Of a rule with `COUNT` and `UNTIL`, the earlier end counts. @throws RuleError */
function readRule(text: string, start: LocalTime, clock: ReturnType<typeof clockOf>): Rule {
  const value = text.replaceAll(/\s/g, '').replace(/(?<!;);+$/, '');
  if (!/(^|;)COUNT=/i.test(value) || !/(^|;)UNTIL=/i.test(value)) return parseRule(value, clock);
  const without = (name: string) =>
    value
      .split(';')
      .filter((part) => !part.toUpperCase().startsWith(`${name}=`))
      .join(';');
  const [counted, ended] = [parseRule(without('UNTIL'), clock), parseRule(without('COUNT'), clock)];
  const last = lastDateOf(counted, start);
  return last && ended.until && compare(last, ended.until) <= 0 ? counted : ended;
}

export const uniqueDates = (dates: LocalTime[]): LocalTime[] =>
  [...new Map(dates.map((date) => [date.toString(), date])).values()].sort(compare);
