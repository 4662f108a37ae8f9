import { joined, ordinals, type Words } from './words.ts';

export const sv: Words = {
  locale: 'sv',
  every: (unit, n) => {
    const name = { DAILY: 'dag', WEEKLY: 'vecka', MONTHLY: 'månad', YEARLY: 'år' }[unit];
    if (n === 1) return `Varje ${name}`;
    if (n === 2) return `${unit === 'YEARLY' ? 'Vartannat' : 'Varannan'} ${name}`;
    return `${unit === 'YEARLY' ? 'Vart' : 'Var'} ${swedishNumber(n)} ${name}`;
  },
  everyDay: (days) => `Varje ${joined(sv.locale, days)}`,
  range: (from, to) => `från ${from} till ${to}`,
  onDays: (days) =>
    `på ${joined(
      sv.locale,
      days.map((day) => `${day}ar`),
    )}`,
  numbered: (numbers, day) => {
    const which = ordinals(sv.locale, swedishOrdinals, numbers);
    return which && `den ${which} ${day === null ? 'vardagen (måndag till fredag)' : `${day}en`}`;
  },
  dayOfMonth: (n) => {
    if (n > 0) return `den ${swedishNumber(n)}`;
    const which = ordinals(sv.locale, swedishOrdinals, [n]);
    return which && `den ${which} dagen`;
  },
  on: (list) => joined(sv.locale, list),
  onDates: (dates) => `den ${joined(sv.locale, dates)}`,
  inMonths: (months) => `i ${joined(sv.locale, months)}`,
  onSomeDays: 'på vissa dagar',
  times: (n) => (n === 1 ? 'en gång' : `${n} gånger`),
  until: (date) => `till och med den ${date}`,
  comma: ', ',
};

const swedishOrdinals = ['första', 'andra', 'tredje', 'fjärde', 'femte', 'näst sista', 'sista'];
const swedishOrder = new Intl.PluralRules('sv', { type: 'ordinal' });
const swedishNumber = (n: number): string => `${n}:${swedishOrder.select(n) === 'one' ? 'a' : 'e'}`;
