import type { Clock, Rule } from './rule.ts';
import { formatUntil } from './until.ts';

/**
 * The canonical text: equal rules have equal texts. `UNTIL` is in UTC, or a date where `isDates`; defaults are left out.
 * `parseRule` reads an equal rule from it.
 */
export function formatRule(rule: Rule, clock: Clock): string {
  const parts: [name: string, value: string | number | null][] = [
    ['FREQ', rule.freq],
    ['INTERVAL', rule.interval === 1 ? null : rule.interval],
    ['COUNT', rule.count],
    ['UNTIL', rule.until && formatUntil(rule.until, clock)],
    ['BYMONTH', rule.byMonth.join()],
    ['BYWEEKNO', rule.byWeekNo.join()],
    ['BYYEARDAY', rule.byYearDay.join()],
    ['BYMONTHDAY', rule.byMonthDay.join()],
    ['BYDAY', rule.byDay.map(({ day, n }) => `${n ?? ''}${day}`).join()],
    ['BYSETPOS', rule.bySetPos.join()],
    ['WKST', rule.wkst === 'MO' ? null : rule.wkst],
  ];
  return parts.flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])).join(';');
}
