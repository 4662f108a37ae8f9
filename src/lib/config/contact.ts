import { isUrl, type Reader } from './reader.ts';

/** How visitors reach the operator, as the target of a link: an e-mail address or a page. */
export function readContact(read: Reader): string | undefined {
  const value = read.text('CONTACT');
  if (value === undefined || isUrl(value, ['https:', 'http:'])) return value;
  if (/^[^\s@<>"?&%:]+@[^\s@<>"?&%:]+$/.test(value)) return `mailto:${value}`;
  read.faults.push(
    'CONTACT must be an e-mail address, or the address of a page that starts with https:// or http://.',
  );
  return undefined;
}
