/** The end of an event in its form follows the start. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  asEvent,
  endAfterMove,
  halfHoursAfter,
  msBetween,
  nextDays,
  parseTime,
  suggestedDay,
} from '../../web/src/lib/event/form/wall-times.ts';

const evening = { startDate: '2027-06-05', startTime: '18:00', endDate: '', endTime: '22:00' };

test('end: keeps the duration when the start moves', () => {
  const rows: [string, Partial<typeof evening>, Partial<typeof evening>, string, string][] = [
    ['later', {}, { startTime: '19:30' }, '', '23:30'],
    ['over midnight', {}, { startTime: '20:00' }, '', '00:00'],
    ['back over midnight', { startTime: '23:00', endTime: '02:00' }, { startTime: '20:00' }, '', '23:00'],
    ['another day, without a date of the end', {}, { startDate: '2027-06-12' }, '', '22:00'],
    ['another day', { endDate: '2027-06-06' }, { startDate: '2027-06-12' }, '2027-06-13', '22:00'],
    ['later, over midnight', { endDate: '2027-06-05' }, { startTime: '21:00' }, '2027-06-06', '01:00'],
    [
      'the first day',
      { startDate: '', endDate: '2027-06-06' },
      { startDate: '2027-06-05' },
      '2027-06-06',
      '22:00',
    ],
    ['no time of the start', {}, { startTime: '' }, '', '22:00'],
    ['no time of the end', { endTime: '' }, { startTime: '19:00' }, '', ''],
    ['an incomplete day', { endDate: '2027-06-06' }, { startDate: '' }, '2027-06-06', '22:00'],
  ];
  for (const [name, before, after, endDate, endTime] of rows)
    assert.deepEqual(
      endAfterMove({ ...evening, ...before }, { ...evening, ...before, ...after }),
      { endDate, endTime },
      name,
    );
});

test('end: the half hours follow the start, and the time of the start is a day later', () => {
  const times = halfHoursAfter('18:10');
  assert.deepEqual([times.length, times[0], times.at(-1)], [48, '18:30', '18:00']);
  assert.equal(msBetween('18:00', '01:30'), 7.5 * 3_600_000);
  assert.equal(msBetween('18:00', '18:00'), 24 * 3_600_000);
  assert.equal(halfHoursAfter(undefined)[0], '00:00');
});

test('preview: the times of the form as an event', () => {
  const periodOf = (times: Partial<typeof evening>, allDay = false) => {
    const event = asEvent({ ...evening, ...times, allDay });
    return event && [event.startAt, event.endAt];
  };
  assert.deepEqual(periodOf({}), ['2027-06-05T18:00:00.000Z', '2027-06-05T22:00:00.000Z']);
  assert.deepEqual(periodOf({ endTime: '01:00' }), ['2027-06-05T18:00:00.000Z', '2027-06-06T01:00:00.000Z']);
  assert.deepEqual(periodOf({ endDate: '2027-06-06' }, true), [
    '2027-06-05T00:00:00.000Z',
    '2027-06-07T00:00:00.000Z',
  ]);
  assert.deepEqual(periodOf({ endTime: '' }), ['2027-06-05T18:00:00.000Z', '2027-06-05T18:00:00.000Z']);
  assert.equal(periodOf({ startDate: '' }), null);
});

test('next days: begin with today in the zone of the event, or with tomorrow when its start is over', () => {
  const now = Date.parse('2026-11-25T23:46:00Z');
  const next = (timeZone: string, startTime: string) => nextDays(now, { timeZone, startTime, count: 2 });
  assert.deepEqual(next('Europe/Stockholm', '18:00'), ['2026-11-26', '2026-11-27']);
  assert.deepEqual(next('UTC', '18:00'), ['2026-11-26', '2026-11-27']);
  assert.deepEqual(next('UTC', '23:50'), ['2026-11-25', '2026-11-26']);
  assert.deepEqual(next('America/New_York', ''), ['2026-11-25', '2026-11-26']);
});

test('times: are read as people write them', () => {
  const times = [
    '18:30',
    '18.30',
    '1830',
    '18h30',
    ' 9:05',
    '9',
    '930',
    '6 pm',
    '6:30 PM',
    '12 a.m.',
    '12pm',
  ];
  assert.deepEqual(times.map(parseTime), [
    '18:30',
    '18:30',
    '18:30',
    '18:30',
    '09:05',
    '09:00',
    '09:30',
    '18:00',
    '18:30',
    '00:00',
    '12:00',
  ]);
  assert.deepEqual(['٦:٣٠ م', '١٨:٣٠', '٩ ص'].map(parseTime), ['18:30', '18:30', '09:00']);
  for (const text of ['', 'late', '24:00', '18:60', '13 pm', '18:3', '1:2:3', '-1'])
    assert.equal(parseTime(text), null, text);
});

test('a new event: on the first Saturday that is at least two days away', () => {
  const rows: [string, string][] = [
    ['2027-06-01T10:00:00Z', '2027-06-05'],
    ['2027-06-03T23:59:00Z', '2027-06-05'],
    ['2027-06-04T00:00:00Z', '2027-06-12'],
    ['2027-06-05T10:00:00Z', '2027-06-12'],
    ['2027-12-30T10:00:00Z', '2028-01-01'],
  ];
  for (const [now, day] of rows) assert.equal(suggestedDay(Date.parse(now)), day, now);
});
