/** Faults of recurrence rules. */
import { type Fault, faultsOf } from '../fault.ts';

const dates = 'packages/recurrence/dates';

export const recurrenceFaults: Fault[] = [
  ...faultsOf('packages/recurrence/dates.ts', [
    ['compare(time, until) <= 0', 'compare(time, until) < 0', dates, 'UNTIL excludes its own time'],
    [
      'rule.count ? dayNumberOf(first) : start',
      'start',
      dates,
      'dates before the range do not count for COUNT',
    ],
    ['after - day <= day - before ? after : before', 'after', dates, 'the nearest date is the next one'],
  ]),
  ...faultsOf('packages/recurrence/expansion.ts', [
    ['days.length + n', 'days.length - n', dates, 'BYSETPOS=-1 is no last day'],
    [
      'byWeekNo.length > 0 ? this.#weekYearOf(day, year) : year',
      'year',
      dates,
      'week 1 is of the year before',
    ],
  ]),
  ...faultsOf('packages/recurrence/parse.ts', [
    [
      'byMonthDay.length > 0 && ',
      'false && ',
      'packages/recurrence/parse',
      'BYMONTHDAY is taken with WEEKLY',
    ],
  ]),
];
