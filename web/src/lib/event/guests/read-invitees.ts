/** Reads a pasted list of people to invite: each line a name, an address, a number, or a name with one of them. */

/** `link`: a name without a contact, for whom the organizer passes a link on. */
export type ReadInvitee = {
  line: string;
  kind: 'email' | 'phone' | 'account' | 'link';
  /** The name beside a contact, or of a link. */
  name: string;
  /** The address, the number or the username; empty for a link. */
  contact: string;
};

/** One more than the API takes, so that a longer list is refused. */
const maxLines = 101;
/** What separates the words of a line, none of which an address has. */
const separators = /[\s<>()[\],;:"]+/;
const number = /\+?\(?\d[\d\s()./-]{5,30}/;
/** What stands around a contact: `Ana <ana@example.org>`, `Ana, +46 70…`, or two columns of a table. */
const around = /[<>,;\t"]+/g;

export const readInvitees = (list: string): ReadInvitee[] =>
  list
    .split('\n')
    .flatMap(splitAddresses)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, maxLines)
    .map(readLine);

/** A line from the field of a mail program has several addresses. */
const splitAddresses = (line: string): string[] => (line.split('@').length > 2 ? line.split(/[,;]/) : [line]);

function readLine(line: string): ReadInvitee {
  if (/^@\S+$/.test(line)) return { line, kind: 'account', name: '', contact: line.slice(1) };
  const email = line.split(separators).find(isAddress);
  if (email) return { line, kind: 'email', name: nameBeside(line, email), contact: email };
  const phone = number.exec(line)?.[0];
  if (phone && phone.replace(/\D/g, '').length > 5)
    return { line, kind: 'phone', name: nameBeside(line, phone), contact: phone.trim() };
  return { line, kind: 'link', name: line.replace(around, ' ').replace(/\s+/g, ' ').trim(), contact: '' };
}

/** Whether a word has an `@` between other characters. */
const isAddress = (word: string): boolean => word.slice(1, -1).includes('@');

const nameBeside = (line: string, contact: string): string =>
  line.replace(contact, ' ').replace(around, ' ').replace(/\s+/g, ' ').trim();
