import assert from 'node:assert/strict';
import test from 'node:test';
import { describeRule, parseRule } from '../index.ts';

const first = Temporal.PlainDateTime.from('2026-12-01T18:00');
const words = (text: string, language = 'en') =>
  describeRule(parseRule(text, { timezone: 'Europe/Berlin', isDates: false }), first, language);

/** From Tuesday, 1 December 2026. */
const sentences: [rule: string, words: string][] = [
  ['FREQ=DAILY', 'Every day'],
  ['FREQ=DAILY;INTERVAL=3', 'Every 3 days'],
  ['FREQ=DAILY;BYMONTH=6', 'Every day in June'],
  ['FREQ=DAILY;BYDAY=SA', 'Every Saturday'],
  ['FREQ=DAILY;INTERVAL=2;BYDAY=SA', 'Every 2 days on certain days'],
  ['FREQ=WEEKLY', 'Every Tuesday'],
  ['FREQ=WEEKLY;COUNT=1', 'Every Tuesday, once'],
  ['FREQ=WEEKLY;INTERVAL=2', 'Every 2 weeks on Tuesday'],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261231',
    'Every 2 weeks on Monday and Friday, until 31 December 2026',
  ],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Every week from Monday to Friday'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU', 'Every day'],
  ['FREQ=WEEKLY;BYDAY=MO,FR;BYMONTH=6,7', 'Every Monday and Friday in June and July'],
  ['FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1', 'Every week on certain days'],
  ['FREQ=MONTHLY', 'Every month on the 1st'],
  ['FREQ=MONTHLY;BYMONTHDAY=2,3,11,-1', 'Every month on the 2nd, the 3rd, the 11th and the last day'],
  ['FREQ=MONTHLY;BYMONTHDAY=-3', 'Every month on certain days'],
  ['FREQ=MONTHLY;BYDAY=1TU', 'Every month on the first Tuesday'],
  ['FREQ=MONTHLY;BYDAY=1TU,3TU,-1TU', 'Every month on the first, third and last Tuesday'],
  ['FREQ=MONTHLY;BYDAY=TU;BYSETPOS=-2', 'Every month on the second to last Tuesday'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'Every month on the last working day (Monday to Friday)'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1', 'Every month on the last day'],
  ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1', 'Every month on certain days'],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', 'Every month on certain days'],
  ['FREQ=MONTHLY;BYDAY=TU', 'Every Tuesday'],
  ['FREQ=MONTHLY;BYDAY=TU,1FR', 'Every month on certain days'],
  ['FREQ=MONTHLY;INTERVAL=2;BYDAY=TU', 'Every 2 months on certain days'],
  ['FREQ=MONTHLY;BYMONTH=6', 'Every year on 1 June'],
  ['FREQ=YEARLY;COUNT=5', 'Every year on 1 December, 5 times'],
  ['FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29', 'Every 2 years on 29 February'],
  ['FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=30,31', 'Every year on 30 April'],
  [
    'FREQ=YEARLY;BYMONTH=1,2,3;BYMONTHDAY=1,2',
    'Every year on the 1st and the 2nd in January, February and March',
  ],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', 'Every year on the fourth Thursday in November'],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=TH;BYSETPOS=4', 'Every year on the fourth Thursday in November'],
  ['FREQ=YEARLY;BYDAY=20MO', 'Every year on certain days'],
  ['FREQ=YEARLY;BYDAY=MO;BYSETPOS=1', 'Every year on certain days'],
  ['FREQ=YEARLY;BYMONTHDAY=5', 'Every month on the 5th'],
  ['FREQ=YEARLY;BYYEARDAY=100', 'Every year on certain days'],
  ['FREQ=YEARLY;BYWEEKNO=20', 'Every year on certain days'],
];

for (const [rule, sentence] of sentences)
  test(`describeRule: ${rule}`, () => assert.equal(words(rule), sentence));

test('describeRule: German, Swedish and Arabic', () => {
  const until = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261231';
  assert.equal(words(until, 'de'), 'Alle 2 Wochen am Montag und Freitag, bis zum 31. Dezember 2026');
  assert.equal(
    words(until, 'sv'),
    'Varannan vecka på måndagar och fredagar, till och med den 31 december 2026',
  );
  assert.equal(words(until, 'ar'), 'كل أسبوعين يوم الاثنين ويوم الجمعة، حتى 31 ديسمبر 2026');
  const numbered = 'FREQ=MONTHLY;BYDAY=1TU,-1TU;COUNT=5';
  assert.equal(words(numbered, 'de'), 'Jeden Monat am ersten und letzten Dienstag, 5-mal');
  assert.equal(words(numbered, 'sv'), 'Varje månad den första och sista tisdagen, 5 gånger');
  assert.equal(words(numbered, 'ar'), 'كل شهر في يوم الثلاثاء الأول والأخير، 5 مرات');
  const yearly = 'FREQ=YEARLY;INTERVAL=3';
  assert.equal(words(yearly, 'de'), 'Alle 3 Jahre am 1. Dezember');
  assert.equal(words(yearly, 'sv'), 'Vart 3:e år den 1 december');
  assert.equal(words(yearly, 'ar'), 'كل 3 سنوات في 1 ديسمبر');
});

test('describeRule: English for another language', () =>
  assert.equal(words('FREQ=DAILY', 'fr'), 'Every day'));
