/** The description of an event, from DESCRIPTION, X-ALT-DESC and URL. */
import { textOf } from './content-line.ts';
import { plainText, textOfHtml } from './html-text.ts';
import { limit } from './lines.ts';
import { firstOf, type Properties } from './read-properties.ts';

export function describeProperties(properties: Properties, max: number, notes: string[]): string {
  const plain = textOf(firstOf(properties, 'DESCRIPTION'));
  const alternative = plain === '' ? textOf(firstOf(properties, 'X-ALT-DESC')) : '';
  const text = alternative !== '' ? textOfHtml(alternative) : plainText(plain);
  return describe({ text, url: textOf(firstOf(properties, 'URL')) }, max, notes);
}

/** Appends the URL to the description. If both are too long, shortens the description and not the URL. */
export function describe({ text, url }: { text: string; url: string }, max: number, notes: string[]): string {
  const tail = url && !text.includes(url) ? url : '';
  if (tail.length > max / 2) return limit('description', text, max, notes);
  const available = max - (tail && text ? tail.length + 1 : tail.length);
  return [limit('description', text, available, notes), tail].filter(Boolean).join('\n');
}
