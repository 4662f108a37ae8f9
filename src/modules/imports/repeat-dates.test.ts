/** The dates of rules, compared with those of another program. */
import assert from 'node:assert/strict';
import test from 'node:test';
import ICAL from 'ical.js';
import { datesOf } from './repeat-dates.ts';
import { parseRule } from './repeat-rule.ts';

const start = Temporal.PlainDateTime.from('2027-01-12T19:00:00');
const now = start.toPlainDate();
const instantOf = (local: Temporal.PlainDateTime) => local.toZonedDateTime('UTC').epochMilliseconds;
const count = 12;

function ownDates(text: string): string[] {
  const rule = parseRule(text);
  assert.ok(rule, text);
  const dates = [...datesOf(rule, start, now, instantOf).take(count)];
  return dates.map((date) => date.toString({ smallestUnit: 'second' }));
}

function otherDates(text: string): string[] {
  const iterator = ICAL.Recur.fromString(text).iterator(ICAL.Time.fromDateTimeString(start.toString()));
  const dates: string[] = [];
  for (let date = iterator.next(); date && dates.length < count; date = iterator.next())
    dates.push(`${date.toString()}`);
  return dates;
}

test('rule: the dates of daily, weekly, monthly and yearly rules equal those of ical.js', () => {
  for (const rule of [
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;COUNT=5',
    'FREQ=DAILY;BYDAY=TU,TH',
    'FREQ=DAILY;BYMONTH=2',
    'FREQ=WEEKLY',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU',
    'FREQ=WEEKLY;BYDAY=TU,FR;UNTIL=20270129T190000Z',
    'FREQ=WEEKLY;BYDAY=TU;BYMONTH=1,3',
    'FREQ=MONTHLY',
    'FREQ=MONTHLY;BYDAY=2TU',
    'FREQ=MONTHLY;BYDAY=2TU,-1FR',
    'FREQ=MONTHLY;BYMONTHDAY=12,-1',
    'FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=12,30',
    'FREQ=MONTHLY;BYDAY=TU;BYMONTHDAY=12,13,14,15,16,17,18',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,8',
    'FREQ=YEARLY',
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=1',
    'FREQ=YEARLY;BYMONTH=1,7;BYDAY=2TU',
    'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=12',
    'FREQ=YEARLY;BYDAY=2TU',
    'FREQ=YEARLY;BYYEARDAY=12,100,-1',
  ])
    assert.deepEqual(ownDates(rule), otherDates(rule).slice(0, ownDates(rule).length), rule);
});

test('rule: a rule without a date has its start alone; one that cannot be read is none', () => {
  for (const rule of ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31', 'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=9'])
    assert.deepEqual(ownDates(rule), ['2027-01-12T19:00:00'], rule);
  for (const text of [
    '',
    'FREQ=HOURLY',
    'FREQ=DAILY;BYHOUR=1',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=WEEKLY;BYDAY=XX',
  ])
    assert.equal(parseRule(text), null, text);
});
