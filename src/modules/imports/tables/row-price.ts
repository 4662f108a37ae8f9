/** What the event of a row costs. */
import { shorten } from '../../../lib/text.ts';
import { type EntryPrice, toPrice } from '../entry-price.ts';
import type { Cells } from './table.ts';

const free =
  /^(?:free|gratis|kostenlos|kostenfrei|frei|eintritt frei|gratuite?|gratuit[oa]|fri entr[ée]|bezpłatn[ey]|za darmo|ilmainen|бесплатно|مجان[اي]ً?|مجاني)$/iu;
const symbols: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₽': 'RUB',
  '₺': 'TRY',
  '₪': 'ILS',
  zł: 'PLN',
};

/** Null for a column that is empty or has no number. A price needs a currency: $ and kr stand for several. */
export function readRowPrice(cells: Cells, notes: string[]): EntryPrice | null {
  const text = cells.text('price');
  if (text === '') return null;
  if (free.test(text)) return { price: 0, currency: null };
  const number = /\d[\d.,' \u00a0]*/.exec(text.slice(0, 60))?.[0] ?? '';
  const beside = text.replace(number, '').trim();
  const currency = currencyOf(beside) ?? currencyOf(cells.text('currency'));
  const price = toPrice(amountOf(number), currency);
  if (!price)
    notes.push(
      `the price "${shorten(text, 40)}" has no currency that is known, or is no number; it was left out`,
    );
  return price;
}

function currencyOf(text: string): string | null {
  const symbol = symbols[text.toLowerCase()];
  if (symbol) return symbol;
  return /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : null;
}

/** A comma or a period in front of one or two digits at the end separates decimals. */
function amountOf(number: string): number {
  const text = number.replace(/[' \u00a0]/g, '').replace(/(?<![.,])[.,]+$/, '');
  const decimals = /[.,](\d{1,2})$/.exec(text)?.[1];
  const whole = text
    .slice(0, decimals === undefined ? undefined : -(decimals.length + 1))
    .replace(/[.,]/g, '');
  return whole === '' ? Number.NaN : Number(`${whole}.${decimals ?? 0}`);
}
