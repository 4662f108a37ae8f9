/** No regular expression takes more than linear time: texts of users reach them, on the server and on phones. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';
import { often } from '../support/all-cases.ts';
import { variable } from '../support/test-database.ts';
import { patternsIn, readLiterals, type SourcePattern } from './source-patterns.ts';

/** Of each text. A search in linear time takes less than 1 ms, one in quadratic time seconds, or with short texts tenths of one. */
const length = often(64_000, 16_000);
/** Of the processor, in ms: a search in linear time takes a tenth of it. */
const limitOf = (texts: string[]) => 100 + texts.reduce((sum, text) => sum + text.length, 0) / 25_000;

/** Parts of texts: each character and each run of characters that a pattern names, and one of each common class. */
function partsOf(source: string): string[] {
  const plain = source
    .replace(/\\u\{?([0-9a-f]{4,6})\}?/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/\\([tnr])/g, (_, letter) => ({ t: '\t', n: '\n', r: '\r' })[letter as string] ?? '')
    .replace(/\\[dDsSwWbBpP](\{\w+(=\w+)?\})?/g, '');
  const words = plain.match(/[^\\()[\]{}|^$?*+.]{2,}/g) ?? [];
  return [...new Set([...plain.replaceAll('\\', ''), ...words, ...' \n0a_.é'])];
}

/** Long texts that nearly match. */
function* hostileTexts({ source }: RegExp): Generator<string> {
  const parts = partsOf(source);
  const starts = ['', ...parts.filter((part) => part.length > 1)];
  for (const part of parts) {
    const run = part.repeat(length / part.length);
    for (const start of starts) yield `${start}${run}\u{1F600}\u0000`;
  }
  for (const part of parts)
    for (const other of [' ', 'a', '0']) yield `${(part + other).repeat(length / 4)}\u0000`;
}

/** Whether all hostile texts are searched within the limit, in one of three tries: garbage is collected meanwhile. */
const isLinear = (expression: RegExp): boolean => [1, 2, 3].some(() => endsInTime(expression));

function endsInTime(expression: RegExp): boolean {
  // Without `g`, `test` begins at the start of each text.
  const pattern = new RegExp(expression.source, expression.flags.replace('g', ''));
  const texts = [...hostileTexts(pattern)];
  const search = () => {
    for (const text of texts) pattern.test(text);
  };
  const limit = limitOf(texts);
  const started = process.threadCpuUsage();
  const isInTime = () => process.threadCpuUsage(started).user / 1_000 < limit;
  // The timeout ends a search by the clock; what counts is the time of the processor, which other programs may take.
  for (let timeout = limit; isInTime(); timeout *= 2) {
    try {
      vm.runInNewContext('search()', { search }, { timeout: Math.ceil(timeout) });
      return isInTime();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  }
  return false;
}

/** A pattern without it reads a bounded number of characters from each place. */
const repetition = /[*+]|,\}/;

const slowIn = (patterns: SourcePattern[]): string[] =>
  patterns
    .filter(({ expression }) => repetition.test(expression.source))
    .filter(({ expression }) => !isLinear(expression))
    .map(({ at, expression }) => `${at} ${expression}`);

test('regular expressions: the search finds patterns of quadratic and exponential time', () => {
  for (const slow of [/[.,;]+$/, /^(a+)+$/, /<text.*<\/text>/s]) assert.ok(!isLinear(slow), String(slow));
  for (const linear of [/^[.,;]+$/, /https?:\/\/[^\s]+/, /^\d{4}-\d\d$/])
    assert.ok(isLinear(linear), String(linear));
});

test('regular expressions: every literal of the sources takes linear time', () => {
  const literals = readLiterals();
  assert.ok(literals.length > 100, `only ${literals.length} were found`);
  assert.deepEqual(slowIn(literals), []);
});

test('regular expressions: every pattern of a schema takes linear time', () => {
  const patterns = patternsIn(JSON.parse(readFileSync(variable('POTLUCK_TEST_OPENAPI'), 'utf8')));
  assert.ok(patterns.length > 5, `only ${patterns.length} were found`);
  assert.deepEqual(slowIn(patterns), []);
});
