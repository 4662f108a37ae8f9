/** Tables of comma-separated values for spreadsheets. */

export type Row = (string | number)[];

/** Begins a file. Without it, Excel reads UTF-8 as another encoding. */
export const byteOrderMark = '\uFEFF';

/** Rows of a table by RFC 4180. */
export const toCsv = (rows: Row[]): string => rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

const toCell = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${withoutFormulas(value).replaceAll('"', '""')}"`;

/** May separate cells. Excel separates them by semicolons in many languages. */
const separator = /[;؛；|\p{Cc}\u2028\u2029]/u;
/** Does not prevent a formula before its sign. Excel does not recognize the quotation marks of later cells. */
const ignored = /["\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Begins a formula, in any width and height. */
const sign = /[=＝﹦⁼₌⩵⩶+＋﹢⁺₊\uFB29\-－﹣−⁻₋@＠﹫]/u;

/** Puts an apostrophe before each formula: a cell that begins with one is a text. */
function withoutFormulas(text: string): string {
  if (!sign.test(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  /** Where a cell may begin; null after a character that prevents a formula. */
  let start: number | null = 0;
  for (const { 0: character, index } of text.matchAll(/./gsu)) {
    if (start !== null && sign.test(character)) {
      parts.push(text.slice(copied, start), "'");
      copied = start;
      start = null;
    } else if (separator.test(character)) start = index + character.length;
    else if (!ignored.test(character)) start = null;
  }
  return parts.join('') + text.slice(copied);
}
