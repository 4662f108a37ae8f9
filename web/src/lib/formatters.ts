/** Formatters of `Intl`, kept for further use: to create one takes as long as to render a small page. */

/** A formatter takes some 10 kB. */
const maxKept = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

/** A formatter of times; the same one for the same arguments. */
export function dateFormatter(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const found = kept.get(key);
  if (found) return found;
  const formatter = new Intl.DateTimeFormat(language, options);
  kept.set(key, formatter);
  // A Map iterates in the order of insertion.
  if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
  return formatter;
}
