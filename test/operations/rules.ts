/**
 * Rules for values, written by hand. Nothing here uses a schema or a function of the server, so that a
 * mistake in the server's schemas is not repeated here.
 */

/**
 * - `fits`: must be accepted.
 * - `shape`: must result in a 400.
 * - `open`: the specification does not decide, or the state of the server does.
 */
export type RuleVerdict = 'fits' | 'shape' | 'open';

export type Rule = {
  judge(value: unknown): RuleVerdict;
  /** Values within the bounds, those at the bounds included. */
  good: readonly unknown[];
  /** Values just beyond the bounds, and of other types. */
  bad: readonly unknown[];
};

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const lengthOf = (text: string): number => [...text].length;
const fitsIf = (isTrue: boolean): RuleVerdict => (isTrue ? 'fits' : 'shape');
const otherTypes = [null, 0, 1.5, true, [], {}, ['x']] as const;
const unstorable = ['a\u0000b', '\ud800', 'b\udc00'] as const;

/** The worst verdict: one wrong part makes the whole wrong, and one open part leaves it open. */
export const worst = (verdicts: RuleVerdict[]): RuleVerdict =>
  (['shape', 'open'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'fits';

/** Text of one line with a visible character, unless `min` is 0. */
export function line(min: number, max: number): Rule {
  return {
    judge(value) {
      if (typeof value !== 'string' || !isStorable(value)) return 'shape';
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return 'shape';
      if (lengthOf(value) < min || lengthOf(value) > max) return 'shape';
      if (min === 0 || /[\p{L}\p{N}\p{P}\p{S}]/u.test(value)) return 'fits';
      // Marks and format characters may or may not be visible.
      return /^\s*$/u.test(value) ? 'shape' : 'open';
    },
    good: [
      'x'.repeat(Math.max(min, 1)),
      'ä'.repeat(max),
      '🥘'.repeat(max),
      ' Bread & “butter”, 2 × 1 l '.slice(0, max),
    ],
    bad: [
      ...(min > 0 ? ['', ' '.repeat(min), 'x'.repeat(min - 1)] : []),
      'x'.repeat(max + 1),
      '🥘'.repeat(max + 1),
      'two\nlines',
      'two\u2028lines',
      ...unstorable,
      ...otherTypes,
    ],
  };
}

/** The code of a country. Not every pair of letters is one. */
export const countryCode: Rule = {
  judge(value) {
    if (typeof value !== 'string' || !/^[A-Z]{2}$/.test(value)) return 'shape';
    return countryCode.good.includes(value) ? 'fits' : 'open';
  },
  good: ['SE', 'DE', 'US'],
  bad: ['', 'se', 'S', 'SWE', 'S1', ...unstorable, ...otherTypes],
};

/** The name of a person: a line. Joiners in a name depend on the script. */
export const personName = (max: number): Rule => {
  const rule = line(1, max);
  return {
    ...rule,
    judge(value) {
      const verdict = rule.judge(value);
      return verdict === 'fits' && /\p{Cf}/u.test(value as string) ? 'open' : verdict;
    },
    bad: [...rule.bad, 'a\u202eb', 'ad\u200dmin'],
  };
};

/** Two numbers, latitude and longitude, or four: west, south, east, north. */
export function coordinates(count: 2 | 4): Rule {
  return {
    judge(value) {
      if (typeof value !== 'string') return 'shape';
      const parts = value.split(',');
      if (parts.length !== count || !parts.every((part) => Number.isFinite(Number(part)))) return 'shape';
      // The specification does not decide other notations of numbers.
      if (!parts.every((part) => /^-?(0|[1-9]\d{0,9})(\.\d{1,10})?$/.test(part))) return 'open';
      const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
      if (count === 2) return fitsIf(Math.abs(a) <= 90 && Math.abs(b) <= 180);
      return fitsIf(Math.abs(a) <= 180 && Math.abs(c) <= 180 && b >= -90 && b <= d && d <= 90);
    },
    good:
      count === 2 ? ['59.91,10.75', '90,-180'] : ['10.6,59.8,10.9,60', '170,-20,-170,20', '-180,-90,180,90'],
    bad: ['', '1', '1,2,3', 'a,b', '91,181,91,181', ...unstorable],
  };
}

/** Text of any number of lines. */
export function prose(max: number, { min = 0 } = {}): Rule {
  return {
    judge(value) {
      if (typeof value !== 'string' || !isStorable(value)) return 'shape';
      if (lengthOf(value) < min || lengthOf(value) > max) return 'shape';
      if (min === 0 || /[\p{L}\p{N}\p{P}\p{S}]/u.test(value)) return 'fits';
      return /^\s*$/u.test(value) ? 'shape' : 'open';
    },
    good: ['x', 'one\ntwo\r\n\tthree', 'ä'.repeat(max), '🥘'.repeat(max), ...(min === 0 ? ['', ' \n '] : [])],
    bad: ['x'.repeat(max + 1), ...(min > 0 ? ['', ' \n'] : []), ...unstorable, ...otherTypes],
  };
}

/** Text whose meaning depends on the state of the server: codes, tokens, cursors and ids. */
export const opaque: Rule = {
  judge: (value) => (typeof value === 'string' && isStorable(value) ? 'open' : 'shape'),
  good: ['x'],
  bad: [...unstorable, ...otherTypes],
};

/** Ids with commas between them. A malformed id is an unknown one. */
export const idList = (max: number): Rule => {
  const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
  const maxLength = max * `${id},`.length;
  return {
    judge(value) {
      if (typeof value !== 'string' || !isStorable(value)) return 'shape';
      const parts = value.split(',');
      return fitsIf(lengthOf(value) <= maxLength && parts.length <= max && !parts.includes(''));
    },
    good: [id, `${id},${id}`, 'x', `x,${id.toUpperCase()}`, `${id} `, Array(max).fill(id).join()],
    bad: [
      '',
      `${id},`,
      'x'.repeat(maxLength + 1),
      Array(max + 1)
        .fill(id)
        .join(),
      ...unstorable,
    ],
  };
};

export function integer(min: number, max: number): Rule {
  return {
    judge: (value) => fitsIf(Number.isInteger(value) && Number(value) >= min && Number(value) <= max),
    good: [min, max, min + 1],
    bad: [min - 1, max + 1, min + 0.5, `${min}`, 2 ** 53 + 2, 1e300, null, true, '', [], {}],
  };
}

/** A claim: whole and at least 1. More than what is left is another refusal than a 400. */
export const quantity: Rule = {
  judge: (value) => {
    if (!Number.isInteger(value) || Number(value) < 1) return 'shape';
    return Number(value) <= 10_000 ? 'fits' : 'open';
  },
  good: [1, 2, 10_000],
  bad: [0, -1, 1.5, '1', null, true, [], {}],
};

export function number(min: number, max: number, { decimals = Number.POSITIVE_INFINITY } = {}): Rule {
  return {
    judge(value) {
      if (typeof value !== 'number' || value < min || value > max) return 'shape';
      const [, fraction = ''] = `${value}`.split('.');
      return `${value}`.includes('e') && decimals < 20 ? 'shape' : fitsIf(fraction.length <= decimals);
    },
    good: [min, max, 1, 0.5, ...(decimals < 20 ? [0.01, 12.34, 0.1] : [12.345678])],
    bad: [
      min - 1,
      max + 1,
      max + 0.01,
      `${min}`,
      ...(decimals < 20 ? [Number(`0.${'0'.repeat(decimals)}1`)] : []),
      null,
      true,
      [],
      {},
    ],
  };
}

export const flag: Rule = {
  judge: (value) => fitsIf(typeof value === 'boolean'),
  good: [true, false],
  bad: ['true', 'false', 0, 1, null, [], {}, ''],
};

export function oneOf(...allowed: (string | null)[]): Rule {
  return {
    judge: (value) => fitsIf(allowed.includes(value as string)),
    good: allowed,
    bad: ['', 'unknown', ...allowed.map((word) => `${word}`.toUpperCase()), 0, true, [], {}],
  };
}

/** A list of different words. */
export function setOf(...allowed: string[]): Rule {
  return {
    judge: (value) =>
      fitsIf(
        Array.isArray(value) &&
          value.every((word) => allowed.includes(word)) &&
          new Set(value).size === value.length,
      ),
    good: [[], [allowed[0]], allowed, allowed.toReversed()],
    bad: [[allowed[0], allowed[0]], ['unknown'], [null], allowed[0], null, {}, 0],
  };
}

/** A list of `min` to `max` values. */
export const listOf = (rule: Rule, min: number, max: number): Rule => ({
  judge: (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return 'shape';
    return worst(value.map((element) => rule.judge(element)));
  },
  good: [...rule.good.map((value) => [value]), Array(max).fill(rule.good[0])],
  bad: [
    ...rule.bad.map((value) => [rule.good[0], value]),
    ...(min > 0 ? [Array(min - 1).fill(rule.good[0])] : []),
    Array(max + 1).fill(rule.good[0]),
    ...[rule.good[0], null, {}, 'x', 0],
  ],
});

/** A rule of the handler, which another refusal may precede: what the type allows is open. */
export const orOpen = (rule: Rule): Rule => ({
  ...rule,
  judge: (value) => (rule.judge(value) === 'shape' && typeof value === 'string' ? 'open' : rule.judge(value)),
});

export const orNull = (rule: Rule): Rule => ({
  judge: (value) => (value === null ? 'fits' : rule.judge(value)),
  good: [...rule.good, null],
  bad: rule.bad.filter((value) => value !== null),
});

/** An address with https alone. */
export const httpsUrlOf = (rule: Rule): Rule => {
  const isHttp = (value: unknown) => typeof value === 'string' && /^http:/i.test(value);
  return {
    ...rule,
    judge: (value) => (isHttp(value) ? 'shape' : rule.judge(value)),
    good: rule.good.filter((value) => !isHttp(value)),
    bad: [...rule.bad, 'http://example.org'],
  };
};

export const httpUrl: Rule = {
  judge(value) {
    if (typeof value !== 'string' || !isStorable(value) || value.length > 2_048) return 'shape';
    const plain = /^https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[1-9]\d{0,3})?(?:\/[\w./?=&%-]*)?$/i;
    const host = plain.exec(value)?.[1];
    if (host !== undefined && (host.length > 253 || /[^.]{64}/.test(host))) return 'shape';
    if (host !== undefined) return /%(?![\da-f]{2})/i.test(value) ? 'open' : 'fits';
    return /^https?:\/\/\S/i.test(value) ? 'open' : 'shape';
  },
  good: ['https://example.org', 'http://example.org:8080/a?b=c', `https://example.org/${'x'.repeat(2_028)}`],
  bad: [
    '',
    'example.org',
    'ftp://example.org/x',
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.org',
    `https://example.org/${'x'.repeat(2_029)}`,
    `https://${'x'.repeat(64)}.org/`,
    ...unstorable,
    0,
    true,
    [],
    {},
  ],
};

const knownZones = ['UTC', 'Europe/Oslo', 'America/Argentina/Ushuaia', 'Asia/Kathmandu', 'Etc/GMT+3'];
const noZones = ['', 'europe/nowhere', 'Europe/Atlantis', '+02:00', 'GMT+25', 'a b'];
export const timeZone: Rule = listed(knownZones, noZones);
const knownCurrencies = ['EUR', 'NOK', 'JPY', 'XAF', 'BHD', 'USD', 'SEK'];
export const currency: Rule = listed(knownCurrencies, ['', 'eur', 'EU', 'EURO', 'E1R', 'XYZ', '€']);
export const emoji: Rule = listed(['🥘', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇳🇴', '1️⃣'], ['', ' ', '🥘🥘', 'ab', '🥘 ', '\n']);

/** How visitors reach the operator: a mail address, or the address of a page. */
export const operatorContact: Rule = listed(
  ['hello@example.org', 'https://example.org/help'],
  ['', ' ', 'hello', 'javascript:alert(1)', 'a@example.org?bcc=b@example.org', 'x'.repeat(501)],
);

/** The name of the server in messages. */
export const instanceName: Rule = {
  ...line(1, 40),
  judge(value) {
    const verdict = line(1, 40).judge(value);
    return verdict === 'fits' && /["<>@]/.test(value as string) ? 'shape' : verdict;
  },
  bad: [...line(1, 40).bad, 'a <b>', 'a@b', '"a"'],
};

/** At least one way to sign in. The configuration of the server, and the caller's contacts, decide which. */
export const waysToSignIn: Rule = {
  judge(value) {
    const verdict = setOf('phone', 'email', 'oidc').judge(value);
    return verdict === 'fits' ? ((value as string[]).length > 0 ? 'open' : 'shape') : verdict;
  },
  good: [['phone', 'email']],
  bad: [[], ...setOf('phone', 'email', 'oidc').bad],
};

/** Values that were decided by hand; every other text is open. */
function listed(good: string[], bad: string[]): Rule {
  return {
    judge(value) {
      if (typeof value !== 'string' || !isStorable(value) || bad.includes(value)) return 'shape';
      return good.includes(value) ? 'fits' : 'open';
    },
    good,
    bad: [...bad, ...unstorable, ...otherTypes],
  };
}

/** 3 to 30 letters, digits, underscores and dots; another person may have the name, or it is reserved. */
export const username: Rule = {
  judge: (value) => fitsIf(typeof value === 'string' && /^(?=.*[a-zA-Z0-9])[a-zA-Z0-9_.]{3,30}$/.test(value)),
  good: ['abc', 'A.b_9', 'x'.repeat(30)],
  bad: ['ab', '...', 'x'.repeat(31), 'a b', 'åse', 'a-b', '', ...unstorable, ...otherTypes],
};

const dayMs = 86_400_000;
const firstInstant = -2_208_988_800_000; // 1900-01-01T00:00:00Z
const lastInstant = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

/** The first instant of a date in UTC, in ms; null for a date that does not exist. */
export function dateMs(text: string): number | null {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (month < 1 || month > 12 || day < 1 || day > (lengths[month - 1] ?? 0)) return null;
  const leapDays = (y: number) => Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  const before = 365 * (year - 1970) + leapDays(year - 1) - leapDays(1969);
  const inYear = lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0);
  return (before + inYear + day - 1) * dayMs;
}

/** The instant of an RFC 3339 timestamp in ms; null for any other text. */
export function timestampMs(text: string): number | null {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (!found) return null;
  const [, date = '', hours, minutes, seconds, fraction = '', sign, offsetHours, offsetMinutes] = found;
  const day = dateMs(date);
  const [h, m, s, oh, om] = [hours, minutes, seconds, offsetHours ?? 0, offsetMinutes ?? 0].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (day === null || h > 23 || m > 59 || s > 59 || oh > 23 || om > 59) return null;
  const offset = (oh * 60 + om) * 60_000 * (sign === '-' ? -1 : 1);
  const at = day + ((h * 60 + m) * 60 + s) * 1_000 + Math.floor(Number(`0${fraction}`) * 1_000) - offset;
  return at >= firstInstant && at <= lastInstant ? at : null;
}

export const timestamp: Rule = {
  judge(value) {
    if (typeof value !== 'string') return 'shape';
    // RFC 3339 allows a space for the T and the second 60, but does not demand them.
    if (/^\S+ \S+$/.test(value) || /:60/.test(value)) return 'open';
    return fitsIf(timestampMs(value) !== null);
  },
  good: [
    '2040-01-05T18:00:00Z',
    '2040-02-29T23:59:59.999+14:00',
    '2040-01-06t01:02:03.5-12:00',
    '1900-01-01T00:00:00Z',
  ],
  bad: [
    '2040-01-05',
    '2041-02-29T00:00:00Z',
    '2040-13-01T00:00:00Z',
    '2040-01-05T24:00:00Z',
    '2040-01-05T18:00:00',
    '2040-01-05T18:00Z',
    '1899-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '',
    ...unstorable,
    ...otherTypes,
  ],
};

/** A timestamp or a date, as a query parameter. A `+` that was not encoded arrives as a space. */
export const timestampOrDay: Rule = {
  judge(value) {
    if (typeof value !== 'string') return 'shape';
    if (value.includes(' ') || /:60/.test(value)) return 'open';
    const day = dateMs(value);
    if (day !== null) return fitsIf(day >= firstInstant && day <= lastInstant);
    return fitsIf(timestampMs(value) !== null);
  },
  good: ['2040-01-05', '2040-01-05T18:00:00Z', '2040-01-06T01:02:03-12:00', '1900-01-01', '9999-12-31'],
  bad: ['2041-02-29', '2040-1-5', '20400105', '2040-01-05T18:00:00', '1899-12-31', 'tomorrow', 'x'],
};

/** An object with these fields and no others. */
export type ObjectRule = { required: Record<string, Rule>; optional: Record<string, Rule> };

export function judgeObject({ required, optional }: ObjectRule, value: unknown): RuleVerdict {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'shape';
  if (Object.keys(required).some((name) => !Object.hasOwn(value, name))) return 'shape';
  const rules = { ...required, ...optional };
  return worst(
    Object.entries(value).map(([name, inner]) =>
      Object.hasOwn(rules, name) ? (rules[name] as Rule).judge(inner) : 'shape',
    ),
  );
}

export function object(rule: ObjectRule): Rule {
  const examples = (values: 'good' | 'bad') =>
    Object.entries(rule.required).flatMap(([name, inner]) =>
      inner[values].map((value) => ({ ...exampleOf(rule), [name]: value })),
    );
  const [name = ''] = Object.keys(rule.required);
  const { [name]: _, ...incomplete } = exampleOf(rule);
  return {
    judge: (value) => judgeObject(rule, value),
    good: examples('good'),
    bad: [...examples('bad'), incomplete, { ...exampleOf(rule), surprise: 1 }, null, 'x', 0, []],
  };
}

/** An object with the first good value of each required field. */
export const exampleOf = ({ required }: ObjectRule): Record<string, unknown> =>
  Object.fromEntries(Object.entries(required).map(([name, rule]) => [name, rule.good[0]]));
