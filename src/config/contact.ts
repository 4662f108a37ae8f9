import { isUrl, type Reader } from './reader.ts';

/**
 * Returns the target of a link to the operator: an e-mail address or a page.
 * @returns undefined if the text is neither
 */
export function toContactLink(text: string): string | undefined {
  if (isUrl(text, ['https:', 'http:'])) return text;
  return /^[^\s@<>"?&%:]+@[^\s@<>"?&%:]+$/.test(text) ? `mailto:${text}` : undefined;
}

/** How visitors reach the operator, as the target of a link. */
export function readContact(read: Reader): string | undefined {
  const value = read.text('CONTACT');
  const link = value === undefined ? undefined : toContactLink(value);
  if (value !== undefined && link === undefined)
    read.faults.push(
      'CONTACT must be an e-mail address, or the address of a page that starts with https:// or http://.',
    );
  return link;
}
