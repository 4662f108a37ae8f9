/** How many decimals a price has at most: those of the currencies of the values, by ISO 4217, without code of the server. */
const decimals: Record<string, number> = { JPY: 0, XAF: 0, BHD: 3 };

/**
 * Whether a price fits its currency. A change that leaves one of both out depends on the event.
 * @returns null if the request does not decide it
 */
export function fitsCurrency(
  isNew: boolean,
  { price, currency }: { price?: number | undefined; currency?: string | undefined },
): boolean | null {
  if (price === undefined) return currency === undefined || isNew ? true : null;
  if (currency === undefined && !isNew) return Number.isInteger(price) ? true : null;
  const [, fraction = ''] = `${price}`.split('.');
  return fraction.length <= (decimals[currency ?? 'EUR'] ?? 2);
}
