/** The texts of a submitted form. */

/** Fields of a form, or of the query of an address. */
export type Fields = Pick<FormData, 'get' | 'getAll' | 'has'>;

/** Null for a field that is not there. */
type Value = ReturnType<Fields['get']>;

export const textOf = (value: Value): string => linesOf(value).trim();

/** The text as it was entered. A browser sends lines with CRLF. */
export const linesOf = (value: Value): string =>
  typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';

/** Reads text fields, without surrounding spaces. */
export const texts = <Name extends string>(
  form: Pick<Fields, 'get'>,
  ...names: Name[]
): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, textOf(form.get(name))])) as Record<Name, string>;
