import assert from 'node:assert/strict';
import test from 'node:test';
import { readDate } from './date-text.ts';
import { readTime } from './time-text.ts';

/** The date, if its order is clear, and its time. */
const read = (text: string) => {
  const date = readDate(text);
  if (!date) return null;
  const { dayFirst, monthFirst, time } = date;
  const shown = (value: Temporal.PlainDate | null) => value?.toString() ?? '-';
  const day =
    shown(dayFirst) === shown(monthFirst) ? shown(dayFirst) : `${shown(dayFirst)}|${shown(monthFirst)}`;
  const until = time?.end ? `–${time.end}` : '';
  return [day, ...(time ? [`${time.time}${until}`, ...(time.zone ? [time.zone] : [])] : [])].join(' ');
};

const dates: Record<string, string | null> = {
  '2027-04-03': '2027-04-03',
  '2027/4/3': '2027-04-03',
  '20270403': '2027-04-03',
  '2027-04-03T18:00': '2027-04-03 18:00:00',
  '2027-04-03 18:00:30': '2027-04-03 18:00:30',
  '2022-08-18 7:30 PM': '2022-08-18 19:30:00',
  '2027/04/03 6:00:12 PM GMT+1': '2027-04-03 18:00:12 gmt+1',
  '3.4.2027': '2027-04-03',
  '03.04.27': '2027-04-03',
  '03.04.2027, 19:00 Uhr': '2027-04-03 19:00:00',
  '03. 04. 2027': '2027-04-03',
  'Sa., 03.04.2027': '2027-04-03',
  '4.13.2027': '-|2027-04-13',
  '3/4/2027': '2027-04-03|2027-03-04',
  '03-04-2027': '2027-04-03|2027-03-04',
  '3/4/27 6:00 PM': '2027-04-03|2027-03-04 18:00:00',
  '13/4/2027': '2027-04-13|-',
  '4/13/2027 8 am': '-|2027-04-13 08:00:00',
  '5/5/2027': '2027-05-05',
  'Sat 4/13/2027': '-|2027-04-13',
  'April 3, 2027': '2027-04-03',
  'Apr 3 2027': '2027-04-03',
  'Saturday, April 3rd, 2027 at 6:00 PM': '2027-04-03 18:00:00',
  'Sat, Apr 3, 2027 6pm': '2027-04-03 18:00:00',
  '3 Apr 2027': '2027-04-03',
  '3-Apr-27': '2027-04-03',
  '3rd of April 2027': '2027-04-03',
  '3. April 2027 19.30 Uhr': '2027-04-03 19:30:00',
  'Samstag, 3. März 2027': '2027-03-03',
  'lördag den 3 april 2027 kl. 18:00': '2027-04-03 18:00:00',
  '3 avril 2027 18h30': '2027-04-03 18:30:00',
  '1er août 2027': '2027-08-01',
  '3 de abril de 2027': '2027-04-03',
  '3 kwietnia 2027': '2027-04-03',
  '3. huhtikuuta 2027': '2027-04-03',
  '2027. április 3.': '2027-04-03',
  '3 апреля 2027': '2027-04-03',
  '٣ أبريل ٢٠٢٧': '2027-04-03',
  '2027年4月3日 18:00': '2027-04-03 18:00:00',
  '2027. 4. 3. 오후 6:00': '2027-04-03 18:00:00',
  '29 February 2028': '2028-02-29',
  '29 February 2027': null,
  '31/02/2027': null,
  '13/13/2027': null,
  '03.04.': null,
  tomorrow: null,
  'to be announced': null,
  '3/4/2027 and later': null,
  '': null,
};
for (const [text, expected] of Object.entries(dates))
  test(`date: "${text}" is ${expected ?? 'no date'}`, () => assert.equal(read(text), expected));

const times: Record<string, string | null> = {
  '18:00': '18:00:00',
  '19:0:00': '19:00:00',
  '18.30': '18:30:00',
  '1830': '18:30:00',
  '18h30': '18:30:00',
  '18 h': '18:00:00',
  '6 pm': '18:00:00',
  '6:05 p.m.': '18:05:00',
  '12:00 am': '00:00:00',
  '12 pm': '12:00:00',
  '11:59:59 pm': '23:59:59',
  '24:00': '00:00:00',
  'kl 18': '18:00:00',
  'um 20 uhr': '20:00:00',
  '18:00-20:00': '18:00:00–20:00:00',
  '6–8 pm': '18:00:00–20:00:00',
  '11 am to 1 pm': '11:00:00–13:00:00',
  '18:00 bis 20:00 uhr': '18:00:00–20:00:00',
  '下午 6:00': '18:00:00',
  '18:00 (cet)': '18:00:00 cet',
  '25:00': null,
  '18:60': null,
  noon: null,
  '': null,
};
for (const [text, expected] of Object.entries(times))
  test(`time: "${text}" is ${expected ?? 'no time'}`, () => {
    const found = readTime(text);
    const shown =
      found && `${found.time}${found.end ? `–${found.end}` : ''}${found.zone ? ` ${found.zone}` : ''}`;
    assert.equal(shown, expected);
  });
