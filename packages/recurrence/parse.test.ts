import assert from 'node:assert/strict';
import test from 'node:test';
import { formatRule, parseRule, RuleError } from './index.ts';

const clock = { timezone: 'Europe/Berlin', isDates: false };
const wholeDays = { timezone: 'America/New_York', isDates: true };
const canonical = (text: string, at = clock) => formatRule(parseRule(text, at), at);

/** A rule, and its canonical text. */
const texts: [text: string, canonical: string][] = [
  ['FREQ=WEEKLY', 'FREQ=WEEKLY'],
  ['freq=weekly;byday=tu;wkst=su', 'FREQ=WEEKLY;BYDAY=TU;WKST=SU'],
  ['WKST=MO;INTERVAL=01;COUNT=007;FREQ=DAILY', 'FREQ=DAILY;COUNT=7'],
  ['BYDAY=SU,MO,su,TU;FREQ=WEEKLY', 'FREQ=WEEKLY;BYDAY=MO,TU,SU'],
  ['FREQ=MONTHLY;BYDAY=+1FR,-1MO,TU,1MO', 'FREQ=MONTHLY;BYDAY=-1MO,TU,1MO,1FR'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,-1,+2,15', 'FREQ=MONTHLY;BYMONTHDAY=-1,2,15'],
  [
    'FREQ=YEARLY;BYSETPOS=-1,1;BYDAY=MO;BYMONTHDAY=1;BYYEARDAY=1;BYWEEKNO=1;BYMONTH=10,9;COUNT=2;INTERVAL=3;WKST=SA',
    'FREQ=YEARLY;INTERVAL=3;COUNT=2;BYMONTH=9,10;BYWEEKNO=1;BYYEARDAY=1;BYMONTHDAY=1;BYDAY=MO;BYSETPOS=-1,1;WKST=SA',
  ],
  ['FREQ=DAILY;UNTIL=20261231T225959Z', 'FREQ=DAILY;UNTIL=20261231T225959Z'],
  ['FREQ=DAILY;UNTIL=20261231T235959', 'FREQ=DAILY;UNTIL=20261231T225959Z'],
  ['FREQ=DAILY;UNTIL=20261231', 'FREQ=DAILY;UNTIL=20261231T225959Z'],
  ['FREQ=DAILY;UNTIL=20260731', 'FREQ=DAILY;UNTIL=20260731T215959Z'],
  // 02:30 is skipped, and stands twice.
  ['FREQ=DAILY;UNTIL=20260329T023000', 'FREQ=DAILY;UNTIL=20260329T013000Z'],
  ['FREQ=DAILY;UNTIL=20261025T023000', 'FREQ=DAILY;UNTIL=20261025T003000Z'],
  ['FREQ=DAILY;UNTIL=20261025T013000Z', 'FREQ=DAILY;UNTIL=20261025T003000Z'],
  ['FREQ=DAILY;UNTIL=99991231T235959Z', 'FREQ=DAILY;UNTIL=99991231T235959Z'],
  ['FREQ=DAILY;UNTIL=00000101T000000Z', 'FREQ=DAILY;UNTIL=00010101T000000Z'],
];

for (const [text, expected] of texts)
  test(`parseRule, formatRule: ${text}`, () => {
    const rule = parseRule(text, clock);
    assert.equal(formatRule(rule, clock), expected);
    assert.deepEqual(comparable(parseRule(expected, clock)), comparable(rule));
  });

const comparable = ({ until, ...rule }: ReturnType<typeof parseRule>) => ({
  ...rule,
  until: until?.toString(),
});

test('parseRule: UNTIL of whole days is a date, whichever form it has', () => {
  const until = (text: string, timezone = 'America/New_York') =>
    canonical(`FREQ=DAILY;UNTIL=${text}`, { timezone, isDates: true }).replace('FREQ=DAILY;UNTIL=', '');
  assert.equal(until('20261231'), '20261231');
  assert.equal(until('20261231T100000'), '20261231');
  assert.equal(until('20270101T045959Z'), '20261231');
  assert.equal(until('20261230T230000Z', 'Europe/Berlin'), '20261231');
  // Midnight in UTC stands for the date.
  assert.equal(until('20261231T000000Z'), '20261231');
  assert.equal(until('99991231T235959Z', 'Europe/Berlin'), '99991231');
  assert.equal(parseRule('FREQ=DAILY;UNTIL=20261231', wholeDays).until?.toString(), '2026-12-31T23:59:59');
});

/** A rule that is refused, and the part of it. */
const refused: [text: string, part: string][] = [
  ['', 'RRULE'],
  ['FREQ', 'RRULE'],
  ['FREQ=', 'RRULE'],
  ['FREQ=WEEKLY;', 'RRULE'],
  ['FREQ=WEEKLY;;COUNT=2', 'RRULE'],
  ['RRULE:FREQ=WEEKLY', 'RRULE'],
  [' FREQ=WEEKLY', 'RRULE'],
  ['FREQ=WEEKLY\n', 'RRULE'],
  [`FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(250)}1`, 'RRULE'],
  ['COUNT=2', 'FREQ'],
  ['FREQ=HOURLY', 'FREQ'],
  ['FREQ=MINUTELY', 'FREQ'],
  ['FREQ=SECONDLY', 'FREQ'],
  ['FREQ=FORTNIGHTLY', 'FREQ'],
  ['FREQ=DAILY;FREQ=DAILY', 'FREQ'],
  ['FREQ=DAILY;COUNT=2;count=2', 'COUNT'],
  ['FREQ=DAILY;BYHOUR=1', 'BYHOUR'],
  ['FREQ=DAILY;BYMINUTE=1', 'BYMINUTE'],
  ['FREQ=DAILY;BYSECOND=1', 'BYSECOND'],
  ['RSCALE=CHINESE;FREQ=YEARLY', 'RSCALE'],
  ['FREQ=YEARLY;SKIP=FORWARD', 'SKIP'],
  ['FREQ=DAILY;BYEASTER=0', 'BYEASTER'],
  ['FREQ=DAILY;X-NAME=1', 'X-NAME'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
  ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL'],
  ['FREQ=DAILY;INTERVAL=1001', 'INTERVAL'],
  ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL'],
  ['FREQ=DAILY;COUNT=0', 'COUNT'],
  ['FREQ=DAILY;COUNT=1001', 'COUNT'],
  ['FREQ=DAILY;COUNT=99999999999999999999999', 'COUNT'],
  ['FREQ=DAILY;COUNT=2;UNTIL=20261231', 'COUNT'],
  ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=2026-12-31', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=20260431', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=20261231T240000Z', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=20261231Z', 'UNTIL'],
  ['FREQ=WEEKLY;WKST=XX', 'WKST'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY'],
  ['FREQ=WEEKLY;BYDAY=MO,', 'BYDAY'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY'],
  ['FREQ=DAILY;BYDAY=1MO', 'BYDAY'],
  ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
  ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY'],
  ['FREQ=YEARLY;BYDAY=-54MO', 'BYDAY'],
  ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', 'BYDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=-32', 'BYMONTHDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,,2', 'BYMONTHDAY'],
  ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY'],
  ['FREQ=YEARLY;BYMONTH=0', 'BYMONTH'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH'],
  ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH'],
  ['FREQ=YEARLY;BYMONTH=5L', 'BYMONTH'],
  ['FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY'],
  ['FREQ=YEARLY;BYYEARDAY=0', 'BYYEARDAY'],
  ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY'],
  ['FREQ=WEEKLY;BYYEARDAY=1', 'BYYEARDAY'],
  ['FREQ=MONTHLY;BYYEARDAY=1', 'BYYEARDAY'],
  ['FREQ=YEARLY;BYWEEKNO=54', 'BYWEEKNO'],
  ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO'],
  ['FREQ=MONTHLY;BYSETPOS=1', 'BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367', 'BYSETPOS'],
  [`FREQ=MONTHLY;BYMONTHDAY=${Array(32).fill(1)}`, 'BYMONTHDAY'],
];

for (const [text, part] of refused)
  test(`parseRule: refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.throws(
      () => parseRule(text, clock),
      (error) => error instanceof RuleError && error.part === part && error.message.startsWith(`${part} `),
    );
  });
