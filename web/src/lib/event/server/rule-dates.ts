/** The dates of a rule, for the form of a repetition. The API makes and judges them. */
import type { Event } from '@potluck/client';
import { datesOf, parseRule, RuleError } from '../../../../../packages/recurrence/index.ts';

/** @returns the first dates as timestamps; null for a text that is no rule */
export function ruleDates(
  { startAt, timezone, allDay }: Pick<Event, 'startAt' | 'timezone' | 'allDay'>,
  rule: string,
  limit: number,
): string[] | null {
  const first = Temporal.Instant.from(startAt).toZonedDateTimeISO(timezone).toPlainDateTime();
  try {
    return datesOf(parseRule(rule, { timezone, isDates: allDay }), first, { limit }).map((date) =>
      new Date(date.toZonedDateTime(timezone).epochMilliseconds).toISOString(),
    );
  } catch (error) {
    if (error instanceof RuleError) return null;
    throw error;
  }
}
