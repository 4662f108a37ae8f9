/** Random rules against python-dateutil, another implementation of RFC 5545. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { often } from '../../test/support/all-cases.ts';
import { datesOf, formatRule, lastDateOf, parseRule, type Weekday } from './index.ts';

/** Debian's, which has Debian's modules. */
const python = '/usr/bin/python3';
const problem =
  spawnSync(python, ['-c', 'import dateutil.rrule']).status === 0
    ? false
    : 'python3 or its module dateutil is not installed';

const dayMs = 86_400_000;
const limit = 30;
const lastYear = 2100;
const expander = `
import datetime, itertools, json, sys
from dateutil.rrule import rrulestr
# It looks for further dates until then.
datetime.MAXYEAR = ${lastYear}
dates = lambda rule, first: rrulestr(rule, dtstart=datetime.datetime.fromisoformat(first))
print(json.dumps([[date.isoformat() for date in itertools.islice(dates(*case), ${limit})] for case in json.load(sys.stdin)]))
`;

const clock = { timezone: 'UTC', isDates: false };
const weekdays: Weekday[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The same numbers in each run. */
function createRandom(seed: number): (from: number, to: number) => number {
  let state = seed;
  return (from, to) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

/**
 * A rule that both understand in the same way. It is not asked for what dateutil does otherwise:
 * - `BYSETPOS` of `WEEKLY`: it leaves out the days of the first week before the first date, and counts the others.
 * - `BYWEEKNO` with `INTERVAL` or `BYSETPOS`: it counts calendar years, so a week belongs to two of them. Without `BYDAY`, it has
 *   all days of the week. It takes the end of some weeks 52 for a week 53, such as 2011-01-02.
 * - Plain and numbered days in one `BYDAY`: it has the days that are both.
 */
function anyRule(random: (from: number, to: number) => number): string {
  const is = (percent: number) => random(1, 100) <= percent;
  const list = (max: number, each: () => string | number) =>
    [...new Set(Array.from({ length: random(1, max) }, each))].join();
  const signed = (max: number) => random(1, max) * (is(30) ? -1 : 1);
  const day = () => weekdays[random(0, 6)] ?? 'MO';
  const freq = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'][random(0, 3)] ?? 'DAILY';
  const isYearly = freq === 'YEARLY';

  const by: string[] = [];
  if (is(30)) by.push(`BYMONTH=${list(4, () => random(1, 12))}`);
  const largest = isYearly && by.length === 0 ? 53 : 5;
  const hasWeeks = isYearly && is(25);
  if (hasWeeks) by.push(`BYWEEKNO=${list(6, () => signed(51))}`, `BYDAY=${list(4, day)}`);
  else if ((isYearly || freq === 'MONTHLY') && is(25))
    by.push(`BYDAY=${list(4, () => `${signed(largest)}${day()}`)}`);
  else if (is(40)) by.push(`BYDAY=${list(5, day)}`);
  if (freq !== 'WEEKLY' && is(30)) by.push(`BYMONTHDAY=${list(8, () => signed(31))}`);
  if (isYearly && is(20)) by.push(`BYYEARDAY=${list(31, () => signed(366))}`);
  if (by.length > 0 && freq !== 'WEEKLY' && !hasWeeks && is(30))
    by.push(`BYSETPOS=${list(3, () => signed(5))}`);
  if (!hasWeeks && is(50)) by.push(`INTERVAL=${random(2, 14)}`);
  if (is(30)) by.push(`WKST=${day()}`);
  const end = random(1, 3);
  if (end === 1) by.push(`COUNT=${random(1, limit)}`);
  if (end === 2) by.push(`UNTIL=${random(2027, 2040)}${random(10, 12)}${random(10, 28)}T180000Z`);
  return [`FREQ=${freq}`, ...by].join(';');
}

test('datesOf: random rules have the dates of python-dateutil', { skip: problem }, () => {
  const random = createRandom(5545);
  const cases = Array.from({ length: often(1000) }, (): [rule: string, first: string] => [
    anyRule(random),
    Temporal.PlainDate.from('1995-01-01')
      .add({ days: random(0, 15_000) })
      .toString(),
  ]);
  const written = cases.map(([rule, first]) => [
    formatRule(parseRule(rule, clock), clock),
    `${first}T18:00:00`,
  ]);
  const { stdout, stderr } = spawnSync(python, ['-c', expander], {
    // Here, times are local. dateutil compares them with an UNTIL that is local too.
    input: JSON.stringify(written.map(([rule = '', first]) => [rule.replace(/(UNTIL=\w+)Z/, '$1'), first])),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  assert.equal(stderr, '');
  const expected: string[][] = JSON.parse(stdout);
  let dates = 0;
  for (const [i, [text, start]] of cases.entries()) {
    const rule = parseRule(text, clock);
    const first = Temporal.PlainDateTime.from(`${start}T18:00`);
    const wanted = untilGap(expected[i] ?? [], first);
    const before = new Temporal.PlainDateTime(lastYear + 1, 1, 1);
    assert.deepEqual(datesOf(rule, first, { before, limit }).map(String), wanted, `${text} from ${start}`);
    if (rule.count && wanted.length === rule.count)
      assert.equal(String(lastDateOf(rule, first)), wanted.at(-1));
    dates += wanted.length;
  }
  assert.ok(dates > cases.length * 10);
});

/** The list of `datesOf` ends before ten years without a date. */
function untilGap(dates: string[], first: Temporal.PlainDateTime): string[] {
  const times = [String(first), ...dates].map((date) => Date.parse(`${date}Z`));
  const end = dates.findIndex((_, i) => ((times[i + 1] ?? 0) - (times[i] ?? 0)) / dayMs > 3653);
  return end < 0 ? dates : dates.slice(0, end);
}
