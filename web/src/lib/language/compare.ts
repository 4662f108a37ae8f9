/** How pages compare texts that users send. */
import { normalize } from '../../../../src/lib/user-texts/normalize.ts';

/** A text without accents and capitals: "Crème Brûlée" → "creme brulee". */
export const withoutAccents = (text: string): string =>
  normalize(text, 'NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Sorts rows by a name. `localeCompare` takes quadratic time for runs of combining marks that are not normalized. */
export const sortedByName = <T>(rows: T[], nameOf: (row: T) => string): T[] =>
  rows
    .map((row) => ({ row, name: normalize(nameOf(row), 'NFC') }))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ row }) => row);
