/** Moves the days of a rule, as RANGE=THISANDFUTURE does. */
import { type Rule, RuleError, type Weekday } from '#recurrence';

const weekdays: Weekday[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The rule whose dates are so many days later. @throws RuleError for one that cannot say it */
export function moveRule(rule: Rule, days: number): Rule {
  if (days === 0) return rule;
  const { freq, byDay, byMonthDay, byMonth, bySetPos, byYearDay, byWeekNo } = rule;
  const others = [byMonthDay, byMonth, bySetPos, byYearDay, byWeekNo];
  const isOfWeek = (freq === 'DAILY' || freq === 'WEEKLY') && others.every((list) => list.length === 0);
  if (!isOfWeek) throw new RuleError('RRULE', 'has days that do not move together');
  const moved = (day: Weekday) => weekdays[(((weekdays.indexOf(day) + days) % 7) + 7) % 7] ?? day;
  return { ...rule, byDay: byDay.map(({ day, n }) => ({ day: moved(day), n })), wkst: moved(rule.wkst) };
}
