/** Finds the addresses of web pages in plain text. */
import { parseAddress } from '../../../../src/lib/user-texts/parse-address.ts';

export type TextPart = { text: string; href?: string };

const address = /https?:\/\/[^\s<>"'`]+/gi;
/** Punctuation at the end belongs to the sentence around the address. */
const punctuation = new Set('.,;:!?)]}…');

export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(address)) {
    const href = withoutPunctuation(match);
    if (!parseAddress(href)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: href, href });
    end = index + href.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** A loop from the end: `/[…]+$/` would start again at each of many points in a row, in quadratic time. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while (punctuation.has(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
