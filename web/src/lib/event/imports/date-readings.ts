/** What a date of a table means in each order. */
import type { Import } from '@potluck/client';
import { formatDay } from '#lib/language/format.ts';

type Order = Import['questions'][number]['options'][number];

/** @param example such as 3/4/2027: the import asks only about dates that have both readings. Another text stays as it is */
export function readingsOf(example: string): Record<Order, string> {
  const [, first = '', second = '', written = ''] =
    /(\d{1,2})\s?[/.-]\s?(\d{1,2})\s?[/.-]\s?(\d{4}|\d{2})/.exec(example) ?? [];
  const year = written.length === 2 ? 2_000 + Number(written) : Number(written);
  const shown = (day: string, month: string) =>
    first === ''
      ? example
      : formatDay(new Date(Date.UTC(year, Number(month) - 1, Number(day))).toISOString(), 'UTC');
  return { dayFirst: shown(first, second), monthFirst: shown(second, first) };
}
