import { getLocale } from '#lib/paraglide/runtime.js';

/** Joins names as a sentence does, such as `Mara, Noor and Ada`. */
export const formatList = (names: string[]): string =>
  new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(names);
