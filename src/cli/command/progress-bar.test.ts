import assert from 'node:assert/strict';
import test from 'node:test';
import { formatBar } from './progress-bar.ts';

test('progress bar: the placeholders have their values; more than the total, or a total of 0, is a full bar', () => {
  const format = '{bar} {value}/{total} {percentage} % {label}';
  const half = formatBar(format, { value: 5, total: 10, label: 'events' });
  assert.equal(half, `  ${'■'.repeat(20)}${' '.repeat(20)} 5/10 50 % events`);
  assert.match(formatBar('{bar} {percentage}', { value: 3, total: 2, label: '' }), /^ {2}■{40} 100$/);
  assert.match(formatBar('{bar} {percentage}', { value: 0, total: 0, label: '' }), /^ {2}■{40} 100$/);
});
