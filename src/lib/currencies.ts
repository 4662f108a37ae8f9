/** How many decimals an amount in major units of a currency has. */

/** The currencies whose minor unit is not a hundredth (ISO 4217, list one). */
const decimals: Partial<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

/** Of all currencies. */
export const maxDecimals = 4;

/** How many decimals an amount in major units has at most, such as 0 for JPY, 2 for EUR and 3 for KWD. */
export const decimalsOf = (currency: string): number => decimals[currency] ?? 2;

/** Whether the amount has at most so many decimals. Results of binary arithmetic such as 0.1 + 0.2 have more. */
export const hasDecimals = (amount: number, decimals: number): boolean =>
  Number(amount.toFixed(decimals)) === amount;
