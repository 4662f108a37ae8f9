import type { Rule } from './rule.ts';

const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };

/** The rule in words. */
export function describeRule(
  { freq, interval }: Rule,
  _first: Temporal.PlainDateTime,
  _language: string,
): string {
  return interval === 1 ? `Every ${units[freq]}` : `Every ${interval} ${units[freq]}s`;
}
