import { type Rule, weekdays } from './rule.ts';

/** What the rule leaves out comes from its first date. */
export function withDefaults(rule: Rule, first: Temporal.PlainDateTime): Rule {
  const { freq, byDay, byMonthDay, byMonth, byYearDay, byWeekNo } = rule;
  if (freq === 'DAILY' || byDay.length > 0 || byMonthDay.length > 0 || byYearDay.length > 0) return rule;
  if (freq === 'WEEKLY' || byWeekNo.length > 0) {
    const day = weekdays[first.dayOfWeek - 1] ?? 'MO';
    return { ...rule, byDay: [{ day, n: null }] };
  }
  const isMonthOfFirst = freq === 'YEARLY' && byMonth.length === 0;
  return { ...rule, byMonthDay: [first.day], byMonth: isMonthOfFirst ? [first.month] : byMonth };
}
