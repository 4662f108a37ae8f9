import assert from 'node:assert/strict';
import test from 'node:test';
import { datesOf, firstDateOf, lastDateOf, nearestDate, parseRule } from './index.ts';

const clock = { timezone: 'Europe/Berlin', isDates: false };
const at = (text: string) => Temporal.PlainDateTime.from(`${text}T18:00`);
const rule = (text: string) => parseRule(text, clock);
const days = (dates: Temporal.PlainDateTime[]) => dates.map((date) => date.toPlainDate().toString());

/** The first dates of rules, by hand. */
const cases: [rule: string, first: string, dates: string[]][] = [
  ['FREQ=WEEKLY', '2026-12-01', ['2026-12-01', '2026-12-08', '2026-12-15']],
  ['FREQ=MONTHLY', '2027-01-31', ['2027-01-31', '2027-03-31', '2027-05-31']],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', '2027-01-31', ['2027-01-31', '2027-02-28', '2027-03-31']],
  ['FREQ=YEARLY', '2028-02-29', ['2028-02-29', '2032-02-29', '2036-02-29']],
];

for (const [text, first, expected] of cases)
  test(`datesOf: ${text} from ${first}`, () => {
    assert.deepEqual(days(datesOf(rule(text), at(first), { limit: expected.length })), expected);
  });

test('lastDateOf: the last of COUNT, and the last one until UNTIL', () => {
  assert.equal(lastDateOf(rule('FREQ=DAILY;COUNT=10'), at('2026-12-01'))?.toString(), '2026-12-10T18:00:00');
  assert.equal(
    lastDateOf(rule('FREQ=WEEKLY;UNTIL=20261231'), at('2026-12-01'))?.toString(),
    '2026-12-29T18:00:00',
  );
  assert.equal(lastDateOf(rule('FREQ=WEEKLY'), at('2026-12-01')), null);
});

test('nearestDate: before or after', () => {
  const tuesdays = rule('FREQ=WEEKLY;BYDAY=TU');
  assert.equal(nearestDate(tuesdays, at('2026-12-03'))?.toString(), '2026-12-01T18:00:00');
  assert.equal(nearestDate(tuesdays, at('2026-12-05'))?.toString(), '2026-12-08T18:00:00');
  assert.equal(nearestDate(tuesdays, at('2026-12-08'))?.toString(), '2026-12-08T18:00:00');
});

test('firstDateOf: from the start of the period', () => {
  assert.equal(
    firstDateOf(rule('FREQ=WEEKLY;BYDAY=MO'), at('2026-12-01'))?.toString(),
    '2026-11-30T18:00:00',
  );
  assert.equal(
    firstDateOf(rule('FREQ=MONTHLY;BYMONTHDAY=2'), at('2026-12-15'))?.toString(),
    '2026-12-02T18:00:00',
  );
});
