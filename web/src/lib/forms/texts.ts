/** The texts of a submitted form. */

export const textOf = (value: FormDataEntryValue | null): string => linesOf(value).trim();

/** The text as it was entered. A browser sends lines with CRLF. */
export const linesOf = (value: FormDataEntryValue | null): string =>
  typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
