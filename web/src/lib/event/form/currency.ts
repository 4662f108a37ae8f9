/** The currency of a price. */
import countryToCurrency from 'country-to-currency';
import type { ChosenPlace } from '#lib/places/places.ts';

/** The highest price that the API takes. */
export const maxPrice = 1_000_000_000;

const currencies: Partial<Record<string, string>> = countryToCurrency;

/** The currency of the country of the place; EUR if the country is unknown. */
export const currencyAt = (place: ChosenPlace | null): string => currencies[place?.country ?? ''] ?? 'EUR';
