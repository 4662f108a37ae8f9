/** Postal codes beside the name of a town, as people write them. */

/** Between the parts of an address. */
export const separators = /[,،;\n]+/u;
/** Such as 411 05, SE-411 05, 10115, D-10115, 0250, 1012 AB. */
export const codeInFront =
  /^(?:\p{L}{1,2}-)?(?:\p{Nd}{3} \p{Nd}{2}|\p{Nd}{4,6}(?: [A-Z]{2}(?= ))?)\s+(?=\p{L})/u;
/** Such as SW1A 2AA, M5V 2T6, 62704, 62704-1234, ١٢٣٤٥. */
export const codeBehind =
  /\s(?:[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d|\p{Nd}{3} \p{Nd}{2}|\p{Nd}{4,6}(?:-\p{Nd}{4})?)$/iu;
/** The abbreviation of a state or province. */
export const regionPattern = /^(?:[A-Z]{2}|NSW|VIC|QLD|TAS|ACT)$/;
