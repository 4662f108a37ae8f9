/** A pasted table of guests: a line for each, with a name, and maybe a number of people or a mail address. */
import { maxPeople } from '#lib/event/guests/answer.ts';

/** Lines that the API takes at once. */
export const maxLines = 100;
const maxName = 80;

/**
 * What a line becomes: a guest, `people` with the guest included. `email`: an address on the line, which an added guest does not
 * have. `isReadable`: otherwise, nobody is added.
 */
export type GuestLine = {
  text: string;
  name: string;
  people: number;
  email: string | null;
  isReadable: boolean;
};

/** Reads the lines that are not empty. */
export const readGuestTable = (table: string): GuestLine[] =>
  table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readLine);

function readLine(text: string): GuestLine {
  const [name = '', ...others] = text.split(/[\t,;،]/).map((cell) => cell.trim().replace(/^"|"$/g, ''));
  const line: GuestLine = { text, name, people: 1, email: null, isReadable: name !== '' };
  if (name.length > maxName || name.includes('@')) line.isReadable = false;
  for (const cell of others.filter((each) => each !== '')) {
    const people = /^\d{1,3}$/.test(cell) ? Number(cell) : 0;
    if (people >= 1 && people <= maxPeople) line.people = people;
    else if (cell.includes('@') && line.email === null) line.email = cell;
    else line.isReadable = false;
  }
  return line;
}
