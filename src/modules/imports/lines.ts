/** Texts of entries, as the fields of events have them. */
import { shorten, withoutBidiControls } from '../../lib/text.ts';

export const oneLine = (text: string): string =>
  withoutBidiControls(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

export function limit(name: string, text: string, max: number, notes: string[]): string {
  const short = shorten(text, max);
  if (short !== text) notes.push(`its ${name} was shortened to ${max} characters`);
  return short;
}
