/** Tables for spreadsheets. */

/** Begins a file. Without it, Excel reads UTF-8 as another encoding. */
export const byteOrderMark = '\uFEFF';

/** Rows of a table by RFC 4180. */
export const toCsv = (rows: (string | number)[][]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Spreadsheets run text that begins with one of these as a formula. They show the apostrophe as no part of the text.
  const safe = /^\s*[=+\-@\t\r]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
