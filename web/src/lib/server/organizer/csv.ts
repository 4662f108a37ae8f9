/** Tables for spreadsheets. */

/** Begins a file. Without it, Excel reads UTF-8 as another encoding. */
export const byteOrderMark = '\uFEFF';

/** Rows of a table by RFC 4180. */
export const toCsv = (rows: (string | number)[][]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

const toCell = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${withoutFormulas(value).replaceAll('"', '""')}"`;

/**
 * The places of a text where a spreadsheet may begin a formula: the start of the text, and after a character that
 * may separate cells. Excel separates cells by semicolons in many languages, and does not recognize the quotation
 * marks of later cells then. Invisible characters and marks before the sign do not prevent the formula, and the sign may
 * have another width or height.
 */
const formulaStart =
  /(?<=^|[;؛；|\p{Cc}\u2028\u2029])(?=["\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=＝﹦⁼₌⩵⩶+＋﹢⁺₊\uFB29\-－﹣−⁻₋@＠﹫])/gu;

/** A cell that begins with an apostrophe is a text. */
const withoutFormulas = (text: string): string => text.replace(formulaStart, "'");
