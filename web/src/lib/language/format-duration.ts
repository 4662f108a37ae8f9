import { dayMs, hourMs, minuteMs } from '#lib/language/format.ts';
import { listFormatter, numberFormatter } from '#lib/language/formatters.ts';
import { getLocale } from '#lib/language/languages.ts';

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;

/** Such as `4 hours`, `1 hour, 30 minutes` or `2 days`; empty for less than a minute. */
export function formatDuration(ms: number): string {
  let rest = ms;
  const parts = units.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { unit, count };
  });
  const texts = parts
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) =>
      numberFormatter(getLocale(), { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    );
  return listFormatter(getLocale(), { type: 'unit' }).format(texts);
}

/** In few letters, such as `2.5 hr`. */
export const formatHours = (ms: number): string =>
  numberFormatter(getLocale(), { style: 'unit', unit: 'hour', unitDisplay: 'short' }).format(ms / hourMs);
