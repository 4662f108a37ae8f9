import { joined, ordinals, type Words } from './words.ts';

export const en: Words = {
  locale: 'en-GB',
  every: (unit, n) => {
    const name = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }[unit];
    return n === 1 ? `Every ${name}` : `Every ${n} ${name}s`;
  },
  everyDay: (days) => `Every ${joined(en.locale, days)}`,
  range: (from, to) => `from ${from} to ${to}`,
  onDays: (days) => `on ${joined(en.locale, days)}`,
  numbered: (numbers, day) => {
    const which = ordinals(en.locale, englishOrdinals, numbers);
    return which && `the ${which} ${day ?? 'working day (Monday to Friday)'}`;
  },
  dayOfMonth: (n) => {
    if (n > 0) return `the ${n}${englishSuffixes[englishOrder.select(n)]}`;
    const which = ordinals(en.locale, englishOrdinals, [n]);
    return which && `the ${which} day`;
  },
  on: (list) => `on ${joined(en.locale, list)}`,
  onDates: (dates) => `on ${joined(en.locale, dates)}`,
  inMonths: (months) => `in ${joined(en.locale, months)}`,
  onSomeDays: 'on certain days',
  times: (n) => (n === 1 ? 'once' : `${n} times`),
  until: (date) => `until ${date}`,
  comma: ', ',
};
const englishOrdinals = ['first', 'second', 'third', 'fourth', 'fifth', 'second to last', 'last'];
const englishOrder = new Intl.PluralRules('en', { type: 'ordinal' });
const englishSuffixes: Record<Intl.LDMLPluralRule, string> = {
  one: 'st',
  two: 'nd',
  few: 'rd',
  other: 'th',
  zero: 'th',
  many: 'th',
};
