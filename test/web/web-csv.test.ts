/** Tables for spreadsheets: texts of users stay texts, whichever character separates the cells. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { toCsv } from '../../src/lib/user-texts/csv.ts';
import { anyVisibleText } from '../support/any-text.ts';

/**
 * Reads a table as Excel does: a quotation mark counts only at the start of a cell, and text after its closing
 * quotation mark belongs to the cell.
 */
function parse(csv: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  for (let at = 0; at < csv.length; at++) {
    let cell = '';
    if (csv[at] === '"') {
      for (at++; at < csv.length && (csv[at] !== '"' || csv[at + 1] === '"'); at++) {
        cell += csv[at];
        if (csv[at] === '"') at++;
      }
      at++;
    }
    for (; at < csv.length && csv[at] !== separator && csv[at] !== '\r' && csv[at] !== '\n'; at++)
      cell += csv[at];
    rows.at(-1)?.push(cell);
    if (csv[at] === '\r' && csv[at + 1] === '\n') at++;
    if (csv[at] === '\r' || csv[at] === '\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** Whether a spreadsheet could run the cell, with everything removed that could be removed before it. */
function isFormula(cell: string): boolean {
  const invisible = /^[\s"\p{C}\p{Z}\p{M}\u115F\u1160\u3164\uFFA0\u2800]*/u;
  return /^[=+\-@\u2212]/.test(cell.replace(invisible, '').normalize('NFKC'));
}

test('CSV: a text is one cell that is no formula, and numbers stay numbers', () => {
  const csv = toCsv([['=1+1', '+1', '-1', '@A1', 'Bread', '', 2, -3]]);
  assert.equal(csv, `"'=1+1","'+1","'-1","'@A1","Bread","",2,-3\r\n`);
  assert.equal(toCsv([['Salt, "fine"; 2-3 kg']]), '"Salt, ""fine""; 2-3 kg"\r\n');
});

test('CSV: no cell is a formula after invisible characters, in other widths, and where semicolons separate cells', () => {
  const starts = [
    '',
    ' ',
    '\u00A0',
    '\u200B',
    '\u2060',
    '\uFEFF',
    '\u00AD',
    '\t',
    '\r',
    '\n',
    '\u3164',
    '\u2800',
    '"',
  ];
  for (const sign of '=＝﹦⁼₌⩵⩶+＋﹢⁺₊\uFB29-－﹣−⁻₋@＠﹫')
    for (const start of starts)
      for (const before of ['', 'x;', 'x";', 'x;"', 'x; ', 'x|', 'x\t', 'x؛'])
        for (const separator of [',', ';', '\t', '|', '؛']) {
          const text = `${before}${start}${sign}HYPERLINK(A1)`;
          const rows = parse(toCsv([[text, 1, text, 'end']]), separator);
          assert.ok(!rows.flat().some(isFormula), JSON.stringify([text, separator]));
        }
});

test('CSV: any text is read again as itself, apart from apostrophes, and no separator makes a formula of it', () => {
  const pieces = [
    '=',
    '＝',
    '+',
    '-',
    '@',
    ';',
    ',',
    '"',
    "'",
    '|',
    '\t',
    ' ',
    '\u200B',
    '\u3164',
    '\u{E0020}',
    'x',
    '5',
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), anyVisibleText({ maxLength: 2 })), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  const plain = (value: unknown) => String(value).replaceAll("'", '');
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      const row = texts.flatMap((each, index) => [each, index]);
      const csv = toCsv([row, row]);
      assert.deepEqual(
        parse(csv, ',').map((cells) => cells.map(plain)),
        [row.map(plain), row.map(plain)],
      );
      for (const separator of [';', '\t', '|']) assert.ok(!parse(csv, separator).flat().some(isFormula), csv);
    }),
    { numRuns: 3_000 },
  );
});
