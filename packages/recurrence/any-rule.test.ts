/** Rules with times, against python-dateutil. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { datesOfAnyRule } from './index.ts';

const python = '/usr/bin/python3';
const skip =
  spawnSync(python, ['-c', 'import dateutil.rrule']).status === 0
    ? false
    : 'python3 or its module dateutil is not installed';
const clock = { timezone: 'UTC', isDates: false };
const [first, limit] = ['2027-01-05T18:30:15', 60];
const rules = [
  'FREQ=HOURLY',
  'FREQ=HOURLY;INTERVAL=7',
  'FREQ=HOURLY;INTERVAL=5;BYHOUR=8,13,18;BYDAY=TU,WE',
  'FREQ=HOURLY;BYMINUTE=0,30;BYMONTH=2',
  'FREQ=MINUTELY;INTERVAL=45;BYHOUR=9,10',
  'FREQ=MINUTELY;INTERVAL=45;BYSECOND=10,20;COUNT=9',
  'FREQ=SECONDLY;INTERVAL=4001',
  'FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0,30',
  'FREQ=DAILY;BYHOUR=9,18;COUNT=11',
  'FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=18;UNTIL=20270401T180000Z',
  'FREQ=MONTHLY;BYDAY=1TU;BYHOUR=7,19',
  'FREQ=DAILY;INTERVAL=1;COUNT=5000',
  'FREQ=WEEKLY;COUNT=4;UNTIL=20270115T000000Z',
  'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1,2;BYHOUR=10',
];
const expander = `
import datetime, itertools, json, sys
from dateutil.rrule import rrulestr
first = datetime.datetime.fromisoformat('${first}Z')
print(json.dumps([[d.isoformat()[:19] for d in itertools.islice(rrulestr(r, dtstart=first), ${limit})] for r in json.load(sys.stdin)]))
`;
const at = (text: string) => Temporal.PlainDateTime.from(text);
const datesOf = (rule: string, from = first) =>
  datesOfAnyRule(rule, at(first), clock, { from: at(from), limit })?.map((date) =>
    date.toString({ smallestUnit: 'second' }),
  ) ?? null;

test('any rule: has the dates of dateutil, from its first date and from a later one', { skip }, () => {
  const { stdout, stderr } = spawnSync(python, ['-c', expander], {
    input: JSON.stringify(rules),
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  const expected = JSON.parse(stdout) as string[][];
  for (const [i, rule] of rules.entries()) {
    assert.deepEqual(datesOf(rule), expected[i], rule);
    const later = expected[i]?.slice(3) ?? [];
    if (later[0]) assert.deepEqual(datesOf(rule, later[0])?.slice(0, later.length), later, rule);
  }
});

test('any rule: null for what cannot be read', () => {
  for (const rule of [
    '',
    'FREQ=NEVER',
    'FREQ=HOURLY;INTERVAL=0',
    'FREQ=DAILY;BYHOUR=25',
    'FREQ=DAILY;COUNT=x',
    'FREQ=DAILY;RSCALE=HEBREW',
  ])
    assert.equal(datesOf(rule), null, rule);
  // Of a part that stands twice, the last one; numbers of weekdays mean nothing in a week.
  assert.deepEqual(datesOf('FREQ=DAILY;COUNT=9;COUNT=1'), [first]);
  assert.deepEqual(datesOf('FREQ=WEEKLY;BYDAY=1TU;COUNT=1'), [first]);
});

test('any rule: hostile rules end', () => {
  const all = (max: number) => Array.from({ length: max + 1 }, (_, i) => i).join();
  const hostile = [
    'FREQ=SECONDLY;BYHOUR=3;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;INTERVAL=86399;BYHOUR=3;BYMINUTE=1;BYSECOND=1',
    'FREQ=SECONDLY;BYSECOND=59;BYMINUTE=59;BYHOUR=23;BYMONTHDAY=29;BYMONTH=2;COUNT=999999',
    `FREQ=DAILY;BYHOUR=${all(23)};BYMINUTE=${all(59)};BYSECOND=${all(59)};COUNT=999999`,
    'FREQ=DAILY;COUNT=999999',
  ];
  for (const rule of hostile) {
    const start = performance.now();
    const dates = datesOf(rule, '9990-01-01T00:00:00');
    assert.ok(performance.now() - start < 500, `${rule}: ${performance.now() - start} ms`);
    assert.ok(Array.isArray(dates));
  }
});
