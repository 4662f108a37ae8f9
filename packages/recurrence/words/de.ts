import { joined, ordinals, type Words } from './words.ts';

export const de: Words = {
  locale: 'de',
  every: (unit, n) => {
    const [one, many] = {
      DAILY: ['Jeden Tag', 'Tage'],
      WEEKLY: ['Jede Woche', 'Wochen'],
      MONTHLY: ['Jeden Monat', 'Monate'],
      YEARLY: ['Jedes Jahr', 'Jahre'],
    }[unit] as [string, string];
    return n === 1 ? one : `Alle ${n} ${many}`;
  },
  everyDay: (days) => `Jeden ${joined(de.locale, days)}`,
  range: (from, to) => `von ${from} bis ${to}`,
  onDays: (days) => `am ${joined(de.locale, days)}`,
  numbered: (numbers, day) => {
    const which = ordinals(de.locale, germanOrdinals, numbers);
    return which && `am ${which} ${day ?? 'Werktag (Montag bis Freitag)'}`;
  },
  dayOfMonth: (n) => {
    if (n > 0) return `am ${n}.`;
    const which = ordinals(de.locale, germanOrdinals, [n]);
    return which && `am ${which} Tag`;
  },
  on: (list) => joined(de.locale, list),
  onDates: (dates) => `am ${joined(de.locale, dates)}`,
  inMonths: (months) => `im ${joined(de.locale, months)}`,
  onSomeDays: 'an bestimmten Tagen',
  times: (n) => (n === 1 ? 'einmal' : `${n}-mal`),
  until: (date) => `bis zum ${date}`,
  comma: ', ',
};
const germanOrdinals = ['ersten', 'zweiten', 'dritten', 'vierten', 'fünften', 'vorletzten', 'letzten'];
