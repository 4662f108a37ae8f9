/** Lengths in the language of the page. */
import { formatKilometres } from './format.ts';
import { numberFormatter } from './formatters.ts';
import { getLocale } from './languages.ts';

/** Such as `80 m` or `2.5 km`. */
export function formatLength(km: number): string {
  if (km >= 0.995) return formatKilometres(km);
  const metres = Math.max(1, Math.round(km * 1000));
  return numberFormatter(getLocale(), { style: 'unit', unit: 'meter', maximumSignificantDigits: 2 }).format(
    metres,
  );
}
