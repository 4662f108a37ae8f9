import { getLocale } from '#lib/paraglide/runtime.js';

/** English without a comma before the last name. */
const tags = { en: 'en-GB', de: 'de', sv: 'sv', ar: 'ar' } as const;

/** Joins names as a sentence does, such as `Mara, Noor and Ada`. */
export const formatList = (names: string[]): string =>
  new Intl.ListFormat(tags[getLocale()], { type: 'conjunction' }).format(names);
