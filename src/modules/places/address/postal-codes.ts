/** Postal codes beside the name of a town, as people write them, and the countries that write them so. */

/** Between the parts of an address, which may have spaces around them. */
export const separator = /[,،;、，|•\n]+|\s[-–—/]\s/u;
const british = '[A-Z]{1,2}\\d[A-Z\\d]?\\s?\\d[A-Z]{2}';
const canadian = '[A-Z]\\d[A-Z]\\s?\\d[A-Z]\\d';
const irish = '[A-Z]\\d[\\dW]\\s?[A-Z\\d]{4}';
const argentine = '[A-Z]\\d{4}(?:[A-Z]{3})?';
const digits =
  '\\p{Nd}{3} \\p{Nd}{2}|\\p{Nd}{2}-\\p{Nd}{3}|\\p{Nd}{4,5}-\\p{Nd}{3,4}|\\p{Nd}{3}-\\p{Nd}{4}|\\p{Nd}{3}-\\p{Nd}{3}|' +
  '\\p{Nd}{3} \\p{Nd}{3}|\\p{Nd}{4,7}';
const prefix = '(?:〒|\\p{Lu}{1,2}-)?';

/** Such as 411 05, SE-411 05, 10115, D-10115, 0250, 1012 AB, 00-950, 1200-195, C1043. */
export const codeInFront = new RegExp(
  `^${prefix}(?:${argentine}|(?:${digits})(?: [A-Z]{2}(?= ))?|\\p{Nd}{3})\\s+(?=[\\p{L}'’])`,
  'u',
);
/** Such as SW1A 2AA, M5V 2T6, 62704, 62704-1234, ١٢٣٤٥. */
export const codeBehind = new RegExp(
  `\\s${prefix}(?:${british}|${canadian}|${irish}|${argentine}|${digits}|\\p{Nd}{3}(?=$))$`,
  'iu',
);
/** A part that is nothing but a code. */
export const codeAlone = new RegExp(
  `^${prefix}(?:${british}|${canadian}|${irish}|${argentine}|${digits}(?: [A-Z]{2})?|\\p{Nd}{3})$`,
  'iu',
);

/** `isInFront`: whether it stands in front of the town. */
export type PostalCode = { text: string; isInFront: boolean };

/** Countries whose codes stand behind the town, or in a part of their own. */
const behind = new Set(
  'AF AU BD BR CN EG ID IN IQ JO KE KH KR LB LK NG NP NZ PH PK SA TH TW US UY VE VN ZA'.split(' '),
);

/** Countries by the number of digits of their codes. Others have letters in them, or none. */
const byDigits: Record<number, string> = {
  3: 'FO IS TW',
  4: 'AF AL AM AR AT AU BD BE BG BO CH CR CV CY DK GE GL HU LI LU LV MD MK MZ NE NL NO NP NZ PH PT PY SI SV TN VE ZA',
  5:
    'BA CN CU CZ DE DO DZ EE EG ES ET FI FR GP GR GT HN HR ID IQ IT JO KE KH KR KW LA LB LK LT MA ME MM MN MQ MU MX MY ' +
    'NI NP PA PE PK PL RE RS SA SE SK SM SN TH TR TW UA US UY VA VN XK ZM',
  6: 'BY CN CO EC IN KG KZ MN NG RO RU SG TJ TM TT UZ VN',
  7: 'CL EG IL JP',
  8: 'BR US',
  9: 'IR US',
};

/** The countries whose codes have the form of a code; null if any country may have it. */
export function countriesOfCode({ text: code, isInFront }: PostalCode): string[] | null {
  const countries = countriesOfForm(code.toUpperCase());
  return isInFront ? (countries?.filter((country) => !behind.has(country)) ?? null) : countries;
}

function countriesOfForm(text: string): string[] | null {
  const [, country] = /^([A-Z]{2})-/.exec(text) ?? [];
  if (country && country !== 'CH') return [country];
  if (text.startsWith('〒')) return ['JP'];
  const is = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'u').test(text);
  if (is(canadian)) return ['CA'];
  if (is(british)) return ['GB', 'IM', 'JE', 'GG', 'GI'];
  if (is(irish)) return ['IE'];
  if (/^\d{4} [A-Z]{2}$/.test(text)) return ['NL'];
  if (is(argentine)) return ['AR'];
  if (/^\d{2}-\d{3}$/.test(text)) return ['PL'];
  if (/^\d{4}-\d{3}$/.test(text)) return ['PT'];
  if (/^\d{5}-\d{3}$/.test(text)) return ['BR'];
  if (/^\d{3}-\d{4}$/.test(text)) return ['JP'];
  if (/^\d{3} \d{2}$/.test(text)) return ['SE', 'CZ', 'SK', 'GR'];
  if (/^\d{3} \d{3}$/.test(text)) return ['IN'];
  const count = text.replace(/^[A-Z]-/, '').replace(/\P{Nd}/gu, '').length;
  return byDigits[count]?.split(' ') ?? null;
}
