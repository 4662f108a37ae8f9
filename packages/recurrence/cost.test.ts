/** No rule costs much: the months and weeks that a call reads are counted, because times depend on the machine. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { datesOf, firstDateOf, lastDateOf, nearestDate, parseRule } from './index.ts';
import { MatchingDays } from './matching-days.ts';

/** 10,000 years of months. Each of them costs less than 0.2 µs, and a year or a week less than 2 µs. */
const maxMonths = 120_000;
const maxWeeks = 21_000;

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).join();
const allDays = 'MO,TU,WE,TH,FR,SA,SU';

/** With few dates, or none, or with long lists. */
const hostile = [
  'DAILY',
  'DAILY;BYMONTH=2;BYMONTHDAY=30',
  'DAILY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=30',
  'DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
  'WEEKLY;BYDAY=MO;BYSETPOS=2',
  'WEEKLY;INTERVAL=1000;BYMONTH=2',
  `WEEKLY;INTERVAL=53;BYMONTH=2;BYDAY=${allDays};BYSETPOS=7`,
  'MONTHLY;INTERVAL=1000',
  'MONTHLY;BYDAY=6MO',
  'MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
  'MONTHLY;BYMONTH=2;BYDAY=5MO,5TU',
  `MONTHLY;BYDAY=${allDays};BYSETPOS=${numbers(-31, -1)}`,
  'YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29',
  'YEARLY;BYYEARDAY=366;BYDAY=SU',
  'YEARLY;BYDAY=53MO',
  `YEARLY;BYDAY=MO,TU,WE,TH;BYSETPOS=${numbers(210, 240)}`,
  `YEARLY;BYMONTHDAY=${numbers(1, 31)};BYMONTH=${numbers(1, 12)};BYSETPOS=366`,
  `YEARLY;BYWEEKNO=${numbers(1, 31)};BYMONTH=12;BYDAY=SU`,
  `YEARLY;BYWEEKNO=${numbers(23, 53)};BYYEARDAY=1;BYDAY=${allDays}`,
  `YEARLY;BYWEEKNO=${numbers(1, 31)};BYDAY=${allDays};BYSETPOS=217`,
];

/** A mock would keep the arguments and the stack of each call. */
function countCalls(t: test.TestContext, name: 'ofMonth' | 'ofWeek'): { count: number } {
  const calls = { count: 0 };
  const original = MatchingDays.prototype[name];
  MatchingDays.prototype[name] = function (this: MatchingDays, of: number): number[] {
    calls.count++;
    return original.call(this, of);
  };
  t.after(() => {
    MatchingDays.prototype[name] = original;
  });
  return calls;
}

const at = (text: string) => Temporal.PlainDateTime.from(`${text}T18:00`);

for (const text of hostile)
  test(`bounded: ${text.slice(0, 60)}`, (t) => {
    const [months, weeks] = [countCalls(t, 'ofMonth'), countCalls(t, 'ofWeek')];
    for (const end of ['', ';COUNT=1', ';COUNT=1000', ';UNTIL=99991231'])
      for (const first of ['0001-01-01', '1900-01-01', '2024-02-29', '9990-01-01']) {
        const rule = parseRule(`FREQ=${text}${end}`, { timezone: 'UTC', isDates: false });
        const calls = [
          () => datesOf(rule, at(first), { limit: 60 }),
          () => datesOf(rule, at(first), { from: at('2026-12-01'), limit: 60 }),
          () => lastDateOf(rule, at(first)),
          () => nearestDate(rule, at(first)),
          () => firstDateOf(rule, at(first)),
        ];
        for (const call of calls) {
          const before = [months.count, weeks.count] as const;
          call();
          const [readMonths, readWeeks] = [months.count - before[0], weeks.count - before[1]];
          assert.ok(readMonths <= maxMonths, `${readMonths} months: ${end} ${first} ${call}`);
          assert.ok(readWeeks <= maxWeeks, `${readWeeks} weeks: ${end} ${first} ${call}`);
        }
      }
  });

test('bounded: a rule without COUNT is not read from its first date on', (t) => {
  const weeks = countCalls(t, 'ofWeek');
  const rule = parseRule('FREQ=WEEKLY', { timezone: 'UTC', isDates: false });
  assert.equal(datesOf(rule, at('0001-01-01'), { from: at('2026-12-01'), limit: 10 }).length, 10);
  assert.ok(weeks.count <= 12);
});
