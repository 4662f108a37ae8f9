import assert from 'node:assert/strict';
import test from 'node:test';
import { datesOf, firstDateOf, lastDateOf, nearestDate, parseRule } from './index.ts';

const clock = { timezone: 'Europe/Berlin', isDates: false };
const at = (text: string) => Temporal.PlainDateTime.from(`${text}T18:00`);
const rule = (text: string) => parseRule(text, clock);
const days = (dates: Temporal.PlainDateTime[]) => dates.map((date) => date.toPlainDate().toString());

/** The first dates of rules, by hand: many are the examples of RFC 5545. A list with fewer dates ends with a dot. */
const cases: [rule: string, first: string, dates: string][] = [
  ['DAILY;COUNT=3', '1997-09-02', '1997-09-02 1997-09-03 1997-09-04 .'],
  ['DAILY;INTERVAL=10;COUNT=5', '1997-09-02', '1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12 .'],
  ['DAILY;UNTIL=19970904', '1997-09-02', '1997-09-02 1997-09-03 1997-09-04 .'],
  ['DAILY;INTERVAL=2', '2026-12-30', '2026-12-30 2027-01-01 2027-01-03'],
  ['DAILY;BYMONTH=1', '1998-01-30', '1998-01-30 1998-01-31 1999-01-01'],
  ['DAILY;INTERVAL=1000', '2024-01-01', '2024-01-01 2026-09-27 2029-06-23'],
  ['DAILY;BYDAY=SA,SU', '2026-12-01', '2026-12-05 2026-12-06 2026-12-12'],
  ['DAILY;INTERVAL=2;BYDAY=TU', '2026-12-01', '2026-12-01 2026-12-15 2026-12-29'],
  ['DAILY;BYMONTHDAY=-1', '2027-01-15', '2027-01-31 2027-02-28 2027-03-31'],
  ['DAILY;BYDAY=TU;BYSETPOS=-1', '2026-12-01', '2026-12-01 2026-12-08'],
  ['DAILY;BYDAY=TU;BYSETPOS=2', '2026-12-01', '.'],
  ['WEEKLY', '2026-12-01', '2026-12-01 2026-12-08 2026-12-15'],
  ['WEEKLY;UNTIL=19971224T000000Z', '1997-12-09', '1997-12-09 1997-12-16 1997-12-23 .'],
  ['WEEKLY;INTERVAL=2;WKST=SU', '1997-09-02', '1997-09-02 1997-09-16 1997-09-30 1997-10-14'],
  ['WEEKLY;COUNT=4;WKST=SU;BYDAY=TU,TH', '1997-09-02', '1997-09-02 1997-09-04 1997-09-09 1997-09-11 .'],
  [
    'WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR',
    '1997-09-01',
    '1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17',
  ],
  [
    'WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    '1997-08-05',
    '1997-08-05 1997-08-10 1997-08-19 1997-08-24 .',
  ],
  [
    'WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    '1997-08-05',
    '1997-08-05 1997-08-17 1997-08-19 1997-08-31 .',
  ],
  ['WEEKLY;BYDAY=MO', '2026-12-01', '2026-12-07 2026-12-14'],
  ['WEEKLY;BYDAY=MO;COUNT=2', '2026-12-01', '2026-12-07 2026-12-14 .'],
  ['WEEKLY;INTERVAL=2;BYDAY=MO', '2026-12-01', '2026-12-14 2026-12-28'],
  ['WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2', '2026-12-03', '2026-12-09 2026-12-16'],
  ['WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1', '2026-12-03', '2026-12-04 2026-12-11'],
  ['WEEKLY;BYDAY=MO,SU;BYSETPOS=1;WKST=SU', '2026-12-01', '2026-12-06 2026-12-13'],
  ['WEEKLY;BYMONTH=2', '2026-12-01', '2027-02-02 2027-02-09'],
  ['WEEKLY;BYDAY=TU,TU', '2026-12-01', '2026-12-01 2026-12-08'],
  ['MONTHLY', '2026-12-15', '2026-12-15 2027-01-15 2027-02-15'],
  ['MONTHLY', '2027-01-31', '2027-01-31 2027-03-31 2027-05-31'],
  ['MONTHLY;COUNT=3', '2027-01-31', '2027-01-31 2027-03-31 2027-05-31 .'],
  ['MONTHLY', '2027-01-30', '2027-01-30 2027-03-30 2027-04-30'],
  ['MONTHLY;BYMONTHDAY=29', '2027-01-29', '2027-01-29 2027-03-29'],
  ['MONTHLY;BYMONTHDAY=29', '2028-01-29', '2028-01-29 2028-02-29'],
  ['MONTHLY;INTERVAL=2', '2026-12-31', '2026-12-31 2027-08-31 2027-10-31'],
  ['MONTHLY;BYMONTHDAY=-1', '2027-01-31', '2027-01-31 2027-02-28 2027-03-31'],
  ['MONTHLY;BYMONTHDAY=-1', '2028-01-31', '2028-01-31 2028-02-29 2028-03-31'],
  ['MONTHLY;BYMONTHDAY=-31', '2027-01-01', '2027-01-01 2027-03-01 2027-05-01'],
  ['MONTHLY;BYMONTHDAY=1,-1;COUNT=4', '1997-09-30', '1997-09-30 1997-10-01 1997-10-31 1997-11-01 .'],
  ['MONTHLY;BYMONTHDAY=-3', '1997-09-28', '1997-09-28 1997-10-29 1997-11-28 1997-12-29'],
  [
    'MONTHLY;BYMONTHDAY=15,30;COUNT=5',
    '2007-01-15',
    '2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30 .',
  ],
  ['MONTHLY;COUNT=3;BYDAY=1FR', '1997-09-05', '1997-09-05 1997-10-03 1997-11-07 .'],
  [
    'MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU',
    '1997-09-07',
    '1997-09-07 1997-09-28 1997-11-02 1997-11-30 .',
  ],
  ['MONTHLY;COUNT=3;BYDAY=-2MO', '1997-09-22', '1997-09-22 1997-10-20 1997-11-17 .'],
  ['MONTHLY;BYDAY=5TU', '2026-12-29', '2026-12-29 2027-03-30 2027-06-29'],
  ['MONTHLY;BYDAY=-5TU', '2026-12-01', '2026-12-01 2027-03-02 2027-06-01'],
  ['MONTHLY;BYDAY=TU', '2026-12-29', '2026-12-29 2027-01-05 2027-01-12'],
  ['MONTHLY;BYDAY=TU,1FR', '2026-12-01', '2026-12-01 2026-12-04 2026-12-08'],
  ['MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1997-09-02', '1998-02-13 1998-03-13 1998-11-13 1999-08-13'],
  ['MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13', '1997-09-13', '1997-09-13 1997-10-11 1997-11-08'],
  ['MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04', '1997-09-04 1997-10-07 1997-11-06 .'],
  ['MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2', '1997-09-29', '1997-09-29 1997-10-30 1997-11-27 1997-12-30'],
  ['MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2026-12-31', '2026-12-31 2027-01-29 2027-02-26'],
  ['MONTHLY;BYDAY=TU;BYSETPOS=1,-1', '2026-12-15', '2026-12-29 2027-01-05 2027-01-26'],
  ['MONTHLY;BYMONTH=6', '2026-12-15', '2027-06-15 2028-06-15'],
  ['MONTHLY;BYMONTH=2;BYMONTHDAY=30', '2026-12-01', '.'],
  ['MONTHLY;INTERVAL=12;BYMONTH=6', '2026-12-15', '.'],
  ['YEARLY', '2028-02-29', '2028-02-29 2032-02-29 2036-02-29'],
  ['YEARLY', '2096-02-29', '2096-02-29 2104-02-29'],
  ['YEARLY;INTERVAL=3', '2024-02-29', '2024-02-29 .'],
  ['YEARLY;INTERVAL=10', '2026-12-01', '2026-12-01 2036-12-01'],
  ['YEARLY;INTERVAL=11', '2026-12-01', '2026-12-01 .'],
  ['YEARLY;BYMONTH=2;BYMONTHDAY=-1', '2027-02-28', '2027-02-28 2028-02-29 2029-02-28'],
  ['YEARLY;COUNT=4;BYMONTH=6,7', '1997-06-10', '1997-06-10 1997-07-10 1998-06-10 1998-07-10 .'],
  ['YEARLY;INTERVAL=2;COUNT=4;BYMONTH=1,2,3', '1997-03-10', '1997-03-10 1999-01-10 1999-02-10 1999-03-10 .'],
  [
    'YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200',
    '1997-01-01',
    '1997-01-01 1997-04-10 1997-07-19 2000-01-01 .',
  ],
  ['YEARLY;BYYEARDAY=366', '2024-12-31', '2024-12-31 2028-12-31'],
  ['YEARLY;BYYEARDAY=-1', '2026-12-31', '2026-12-31 2027-12-31 2028-12-31'],
  ['YEARLY;BYYEARDAY=-366', '2024-01-01', '2024-01-01 2028-01-01'],
  ['YEARLY;BYDAY=20MO', '1997-05-19', '1997-05-19 1998-05-18 1999-05-17'],
  ['YEARLY;BYDAY=53TH', '2026-12-31', '2026-12-31 2032-12-30'],
  ['YEARLY;BYDAY=-1SU', '2026-12-27', '2026-12-27 2027-12-26'],
  ['YEARLY;BYMONTH=3;BYDAY=TH', '1997-03-13', '1997-03-13 1997-03-20 1997-03-27 1998-03-05'],
  ['YEARLY;BYMONTH=10;BYDAY=-1SU', '2026-10-25', '2026-10-25 2027-10-31 2028-10-29'],
  [
    'YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05',
    '1996-11-05 2000-11-07 2004-11-02',
  ],
  ['YEARLY;BYMONTHDAY=31', '2026-12-31', '2026-12-31 2027-01-31 2027-03-31'],
  ['YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1', '2026-12-31', '2026-12-31 2027-12-31'],
  ['YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12', '1997-05-12 1998-05-11 1999-05-17'],
  ['YEARLY;BYWEEKNO=20', '1997-05-14', '1997-05-14 1998-05-13 1999-05-19'],
  ['YEARLY;BYWEEKNO=53;BYDAY=TH', '2026-12-31', '2026-12-31 2032-12-30'],
  ['YEARLY;BYWEEKNO=53;BYDAY=SU', '2008-11-17', '2010-01-03 2016-01-03'],
  ['YEARLY;BYWEEKNO=52;BYDAY=SU', '2010-01-04', '2011-01-02 2012-01-01'],
  ['YEARLY;BYWEEKNO=-1;BYDAY=SU', '2027-01-03', '2027-01-03 2028-01-02 2028-12-31'],
  // Week 1 of 2026 begins in 2025, and is of the year 2026.
  ['YEARLY;BYWEEKNO=1;BYDAY=MO', '2025-12-29', '2025-12-29 2027-01-04 2028-01-03'],
  ['YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO', '2025-12-29', '2025-12-29 2028-01-03 2029-12-31'],
  ['YEARLY;BYWEEKNO=1;BYDAY=MO,SU;BYSETPOS=1', '2025-12-29', '2025-12-29 2027-01-04'],
  ['YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU', '2026-01-04', '2026-01-04 2027-01-03 2028-01-02'],
];

for (const [text, first, expected] of cases)
  test(`datesOf: ${text} from ${first}`, () => {
    const wanted = expected.split(' ').filter((day) => day !== '.');
    const limit = expected.endsWith('.') ? wanted.length + 1 : wanted.length;
    assert.deepEqual(days(datesOf(rule(`FREQ=${text}`), at(first), { limit })), wanted);
  });

test('datesOf: dates have the time of the first one', () => {
  const [, second] = datesOf(rule('FREQ=DAILY'), Temporal.PlainDateTime.from('2026-12-01T06:07:08.009'), {
    limit: 2,
  });
  assert.equal(second?.toString(), '2026-12-02T06:07:08.009');
});

test('datesOf: UNTIL is inclusive, and a date includes its day', () => {
  const last = (until: string) =>
    days(datesOf(rule(`FREQ=DAILY;UNTIL=${until}`), at('2026-12-01'), { limit: 9 })).at(-1);
  assert.equal(last('20261203'), '2026-12-03');
  assert.equal(last('20261203T180000'), '2026-12-03');
  assert.equal(last('20261203T175959'), '2026-12-02');
  assert.equal(last('20261203T170000Z'), '2026-12-03');
  assert.equal(last('20261203T165959Z'), '2026-12-02');
  assert.equal(last('20261130'), undefined);
});

test('datesOf: a range includes its start and not its end, to the second', () => {
  const between = (from: string, before: string, text = 'FREQ=DAILY') =>
    days(
      datesOf(rule(text), at('2026-12-01'), {
        from: Temporal.PlainDateTime.from(from),
        before: Temporal.PlainDateTime.from(before),
        limit: 9,
      }),
    );
  assert.deepEqual(between('2026-12-05T18:00', '2026-12-07T18:00'), ['2026-12-05', '2026-12-06']);
  assert.deepEqual(between('2026-12-05T18:01', '2026-12-07T18:01'), ['2026-12-06', '2026-12-07']);
  assert.deepEqual(between('2020-01-01T00:00', '2026-12-02T00:00'), ['2026-12-01']);
  assert.deepEqual(between('2026-12-03T00:00', '2027-01-01T00:00', 'FREQ=DAILY;COUNT=4'), [
    '2026-12-03',
    '2026-12-04',
  ]);
  assert.deepEqual(between('2026-12-03T00:00', '2027-01-01T00:00', 'FREQ=WEEKLY;INTERVAL=2'), [
    '2026-12-15',
    '2026-12-29',
  ]);
  assert.deepEqual(between('2030-01-01T00:00', '2026-12-02T00:00'), []);
});

test('datesOf: none with a limit of 0, and none after the year 9999', () => {
  assert.deepEqual(datesOf(rule('FREQ=DAILY'), at('2026-12-01'), { limit: 0 }), []);
  assert.deepEqual(days(datesOf(rule('FREQ=DAILY'), at('9999-12-30'), { limit: 9 })), [
    '9999-12-30',
    '9999-12-31',
  ]);
});

test('datesOf: a rule without COUNT has the same dates wherever it is read from', () => {
  const texts = [
    'DAILY;INTERVAL=3',
    'WEEKLY;INTERVAL=2;BYDAY=MO,TH',
    'MONTHLY;INTERVAL=5;BYDAY=-1FR',
    'YEARLY;BYWEEKNO=1,30',
  ];
  for (const text of texts) {
    const all = days(datesOf(rule(`FREQ=${text}`), at('1999-12-31'), { limit: 300 }));
    for (const start of all.slice(40, 60))
      assert.deepEqual(
        days(datesOf(rule(`FREQ=${text}`), at('1999-12-31'), { from: at(start), limit: 3 })),
        all.slice(all.indexOf(start)).slice(0, 3),
      );
  }
});

test('lastDateOf: the last of COUNT, and the last one until UNTIL', () => {
  assert.equal(lastDateOf(rule('FREQ=DAILY;COUNT=10'), at('2026-12-01'))?.toString(), '2026-12-10T18:00:00');
  assert.equal(
    lastDateOf(rule('FREQ=WEEKLY;UNTIL=20261231'), at('2026-12-01'))?.toString(),
    '2026-12-29T18:00:00',
  );
  assert.equal(lastDateOf(rule('FREQ=WEEKLY'), at('2026-12-01')), null);
});

test('lastDateOf: null for a rule without a date; beyond gaps of more than ten years', () => {
  const last = (text: string, first: string) =>
    lastDateOf(rule(`FREQ=${text}`), at(first))
      ?.toPlainDate()
      .toString();
  assert.equal(last('DAILY;UNTIL=20261130', '2026-12-01'), undefined);
  assert.equal(last('MONTHLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2', '2026-12-01'), undefined);
  assert.equal(last('YEARLY;UNTIL=20350101', '2024-02-29'), '2032-02-29');
  assert.equal(last('YEARLY;COUNT=3;INTERVAL=20', '2026-12-01'), '2066-12-01');
  assert.equal(last('YEARLY;UNTIL=20700101;INTERVAL=20', '2026-12-01'), '2066-12-01');
  assert.equal(last('YEARLY;COUNT=1000;INTERVAL=1000', '2026-12-01'), '9026-12-01');
});

const near = (text: string, date: string) =>
  nearestDate(rule(`FREQ=${text}`), at(date))
    ?.toPlainDate()
    .toString();

test('nearestDate: the date itself, else the nearest one before or after it, else the later one', () => {
  assert.equal(near('WEEKLY', '2026-12-03'), '2026-12-03');
  assert.equal(near('WEEKLY;BYDAY=TU', '2026-12-03'), '2026-12-01');
  assert.equal(near('WEEKLY;BYDAY=TU', '2026-12-05'), '2026-12-08');
  assert.equal(near('WEEKLY;BYDAY=MO,WE', '2026-12-01'), '2026-12-02');
  assert.equal(near('MONTHLY;BYDAY=1TU', '2026-12-24'), '2027-01-05');
  assert.equal(near('MONTHLY;BYMONTHDAY=31', '2027-02-10'), '2027-01-31');
  assert.equal(near('YEARLY;BYMONTH=2;BYMONTHDAY=29', '2026-12-01'), '2028-02-29');
});

test('nearestDate: the rule is aligned to the period of the date, and ends with UNTIL', () => {
  assert.equal(near('WEEKLY;INTERVAL=2;BYDAY=MO', '2026-12-04'), '2026-11-30');
  assert.equal(near('WEEKLY;BYDAY=TU;UNTIL=20261207', '2026-12-05'), '2026-12-01');
  assert.equal(near('WEEKLY;BYDAY=TU;UNTIL=20250101', '2026-12-05'), '2024-12-31');
});

test('nearestDate: null without a date in ten years', () => {
  assert.equal(near('MONTHLY;BYMONTH=2;BYMONTHDAY=30', '2026-12-01'), undefined);
  assert.equal(near('YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29', '2026-12-01'), undefined);
});

const begins = (text: string, date: string) =>
  firstDateOf(rule(`FREQ=${text}`), at(date))
    ?.toPlainDate()
    .toString();

test('firstDateOf: the first date from the start of the period', () => {
  assert.equal(begins('DAILY', '2026-12-01'), '2026-12-01');
  assert.equal(begins('DAILY;BYDAY=MO', '2026-12-01'), '2026-12-07');
  assert.equal(begins('WEEKLY', '2026-12-01'), '2026-12-01');
  assert.equal(begins('WEEKLY;BYDAY=WE', '2026-12-01'), '2026-12-02');
  assert.equal(begins('WEEKLY;BYDAY=MO', '2026-12-01'), '2026-11-30');
  assert.equal(begins('WEEKLY;BYDAY=SU', '2026-12-01'), '2026-12-06');
  assert.equal(begins('WEEKLY;BYDAY=SU;WKST=SU', '2026-12-01'), '2026-11-29');
  assert.equal(begins('MONTHLY', '2026-12-15'), '2026-12-15');
  assert.equal(begins('MONTHLY;BYMONTHDAY=2', '2026-12-15'), '2026-12-02');
  assert.equal(begins('MONTHLY;BYMONTHDAY=31', '2026-11-15'), '2026-12-31');
  assert.equal(begins('YEARLY', '2026-12-15'), '2026-12-15');
  assert.equal(begins('YEARLY;BYMONTH=2', '2026-12-15'), '2026-02-15');
});

test('firstDateOf: null without a date in ten years, or before UNTIL', () => {
  assert.equal(begins('MONTHLY;BYMONTH=2;BYMONTHDAY=30', '2026-12-15'), undefined);
  assert.equal(begins('WEEKLY;UNTIL=20261130', '2026-12-01'), undefined);
});
