/**
 * The languages of the pages. The server chooses a cached page by the same functions. All messages import this module,
 * so it calls nothing while it is loaded: otherwise the bundler would keep every message for every page.
 */
export const languages = ['en', 'de', 'sv', 'ar'] as const;
export type Language = (typeof languages)[number];
/** For `Intl`. English as it is written outside the United States: day before month, 24 hours, no comma before `and`. */
export const localeOf: Record<Language, string> = { en: 'en-GB', de: 'de', sv: 'sv', ar: 'ar' };
/** The language for visitors who ask for none of the languages, unless the instance has another one. */
export const baseLanguage: Language = 'en';
/** The name of the cookie with the language that the visitor chose. */
export const languageCookie = 'language';

export const isLanguage = (value: unknown): value is Language =>
  languages.some((language) => language === value);

let languageOfPage = (): Language => baseLanguage;
let hasTwelveHours = (): boolean => false;
/** English for visitors whose day has two times twelve hours. */
const twelveHourEnglish = 'en-GB-u-hc-h12';

/** The language of the page. */
export const getLanguage = (): Language => languageOfPage();

/** The language of the page for `Intl`, with the hours that the visitor counts. */
export const getLocale = (): string => (hasTwelveHours() ? twelveHourEnglish : localeOf[getLanguage()]);

/** Whether the day of the visitor has two times twelve hours. */
export const showsTwelveHours = (): boolean => hasTwelveHours();

/** How a page writes the time of day. */
export const getClock = (): Intl.DateTimeFormatOptions => ({
  hour: hasTwelveHours() ? 'numeric' : '2-digit',
  minute: '2-digit',
});

/**
 * Sets where the language is found: in the request on the server, in the document in browsers.
 * @param countsTwelve whether an English page has times such as 6:00 pm
 */
export function setLanguageSource(find: () => Language, countsTwelve = (): boolean => false): void {
  languageOfPage = find;
  hasTwelveHours = countsTwelve;
}

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/**
 * The language of a page for a visitor: that of the cookie, else the first language of the browser that pages have.
 * @param cookie the header `Cookie` of the request
 * @param accepted the header `Accept-Language`
 * @returns undefined for a visitor who asks for none of the languages
 */
export function findLanguage(
  cookie: string | null | undefined,
  accepted: string | null | undefined,
): Language | undefined {
  const prefix = `${languageCookie}=`;
  const cookies = (cookie ?? '').split(';').map((pair) => pair.trim());
  const chosen = cookies.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
  const tags = [chosen, ...preferredTags(accepted ?? '')];
  return tags.map(toLanguage).find((language) => language !== undefined);
}

/** In UTF-16 code units. Browsers send a few tags. */
const maxAccepted = 1_000;
/** A tag and its weight (RFC 9110, section 12.4.2), with the white space that the grammar allows. */
const entryPattern = /^\s*([\w-]+|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/** The tags of `Accept-Language`, the preferred ones first; none of weight 0. After a tag with a region comes its language. */
function preferredTags(accepted: string): string[] {
  const entries = accepted
    .slice(0, maxAccepted)
    .split(',')
    .map((entry) => entryPattern.exec(entry) ?? [])
    .map(([, tag = '', weight = '1']) => ({ tag, weight: Number(weight) }))
    .filter(({ weight }) => weight > 0);
  entries.sort((a, b) => b.weight - a.weight);
  return entries.flatMap(({ tag }) => [tag, tag.replace(/-.*/, '')]);
}

/** Regions in the order of their first visitors. To look one up takes as long as to render a small page. */
const twelveHourRegions = new Map<string, boolean>();

/**
 * Whether a page in English has times such as 6:00 pm, by the region of the visitor's preferred language. Other languages
 * have one form of times.
 * @param language undefined for that of the instance
 * @param accepted the header `Accept-Language`
 */
export function countsTwelveHours(
  language: Language | undefined,
  accepted: string | null | undefined,
): boolean {
  if (language !== undefined && language !== 'en') return false;
  const region = /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})(?:-|$)/i.exec(
    preferredTags(accepted ?? '')[0] ?? '',
  )?.[1];
  if (!region) return false;
  const name = region.toUpperCase();
  const known = twelveHourRegions.get(name);
  if (known !== undefined) return known;
  const found = hourCycleOf(name) === 'h12';
  twelveHourRegions.set(name, found);
  return found;
}

const hourCycleOf = (region: string): string | undefined =>
  new Intl.DateTimeFormat(`en-${region}`, { hour: 'numeric' }).resolvedOptions().hourCycle;

const toLanguage = (tag: string | undefined): Language | undefined =>
  languages.find((language) => language === tag?.toLowerCase());
