/** Prices of entries. */
import { decimalsOf, hasDecimals } from '../../lib/currencies.ts';
import type { EventChange } from '../events/schemas.ts';
import { limits } from './entry-limits.ts';

/** `currency`: null for a free event that names none. */
export type EntryPrice = { price: number; currency: string | null };

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** @returns null for a price that events cannot have; of nothing, the currency is not needed */
export function toPrice(amount: number, currency: string | null): EntryPrice | null {
  if (!Number.isFinite(amount) || amount < 0 || amount > limits.price) return null;
  const known = currency !== null && currencies.has(currency) ? currency : null;
  if (known === null) return amount === 0 ? { price: 0, currency: null } : null;
  const price = hasDecimals(amount, decimalsOf(known)) ? amount : Number(amount.toFixed(decimalsOf(known)));
  return { price, currency: known };
}

/** The fields of the event. An entry without a price says nothing of them. */
export const priceFields = (
  price: EntryPrice | null | undefined,
): Pick<EventChange, 'price' | 'currency' | 'isPriceKnown'> =>
  price
    ? { price: price.price, isPriceKnown: true, ...(price.currency && { currency: price.currency }) }
    : {};
