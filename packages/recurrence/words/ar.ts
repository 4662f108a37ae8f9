import { joined, ordinals, type Words } from './words.ts';

export const ar: Words = {
  locale: 'ar',
  every: (unit, n) => {
    const [one, two, few, many] = arabicUnits[unit];
    const forms: Partial<Record<Intl.LDMLPluralRule, string>> = {
      one,
      two,
      few: `${n} ${few}`,
      many: `${n} ${many}`,
    };
    return `كل ${forms[arabicPlural.select(n)] ?? `${n} ${one}`}`;
  },
  everyDay: (days) => `كل أسبوع ${ar.onDays(days)}`,
  range: (from, to) => `من ${from} إلى ${to}`,
  onDays: (days) =>
    joined(
      ar.locale,
      days.map((day) => `يوم ${day}`),
    ),
  numbered: (numbers, day) => {
    const which = ordinals(ar.locale, arabicOrdinals, numbers);
    return which && `يوم ${day ?? 'العمل'} ${which}${day === null ? ' (من الاثنين إلى الجمعة)' : ''}`;
  },
  dayOfMonth: (n) => {
    if (n > 0) return `يوم ${n}`;
    const which = ordinals(ar.locale, arabicOrdinals, [n]);
    return which && `اليوم ${which}`;
  },
  on: (list) => `في ${joined(ar.locale, list)}`,
  onDates: (dates) => `في ${joined(ar.locale, dates)}`,
  inMonths: (months) => `في ${joined(ar.locale, months)}`,
  onSomeDays: 'في أيام معيّنة',
  times: (n) => {
    const forms: Partial<Record<Intl.LDMLPluralRule, string>> = {
      one: 'مرة واحدة',
      two: 'مرتين',
      few: `${n} مرات`,
    };
    return forms[arabicPlural.select(n)] ?? `${n} مرة`;
  },
  until: (date) => `حتى ${date}`,
  comma: '، ',
};

const arabicPlural = new Intl.PluralRules('ar');
const arabicOrdinals = ['الأول', 'الثاني', 'الثالث', 'الرابع', 'الخامس', 'قبل الأخير', 'الأخير'];
/** One; two; three to ten; eleven to 99. */
const arabicUnits = {
  DAILY: ['يوم', 'يومين', 'أيام', 'يومًا'],
  WEEKLY: ['أسبوع', 'أسبوعين', 'أسابيع', 'أسبوعًا'],
  MONTHLY: ['شهر', 'شهرين', 'أشهر', 'شهرًا'],
  YEARLY: ['سنة', 'سنتين', 'سنوات', 'سنة'],
} as const;
