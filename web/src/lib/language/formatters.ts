/** Formatters of `Intl`, kept for further use: to create one takes as long as to render a small page. */

/** A formatter of periods takes some 120 kB outside V8's heap, another one of times 30 kB. */
const maxKept = 200;

/** Returns a function that creates a formatter, or returns the same one for the same arguments. */
function keeping<O, F>(create: (language: string, options: O) => F): (language: string, options: O) => F {
  const kept = new Map<string, F>();
  return (language, options) => {
    const key = `${language} ${JSON.stringify(options)}`;
    const found = kept.get(key);
    if (found) return found;
    const formatter = create(language, options);
    kept.set(key, formatter);
    // A Map iterates in the order of insertion.
    if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
    return formatter;
  };
}

/** A formatter of times. */
export const dateFormatter = keeping(
  (language, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);

/** A formatter of numbers, amounts and prices. */
export const numberFormatter = keeping(
  (language, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
);

/** A formatter of lists, such as names in a sentence. */
export const listFormatter = keeping(
  (language, options: Intl.ListFormatOptions) => new Intl.ListFormat(language, options),
);

/** A formatter of distances in time, such as `in 5 days`. */
export const relativeFormatter = keeping(
  (language, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
);
