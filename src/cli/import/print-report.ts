/** Prints what an import did: notes and errors by line to stderr, and a summary. */
import type { Cause, EntryNote, ImportReport } from '../../modules/imports/report.ts';

const causes: Record<Cause, (count: number) => string> = {
  place: (count) => `${count} without a known place`,
  title: (count) => `${count} without a title`,
  date: (count) => `${count} without a date that can be read`,
  broken: (count) => `${count} broken`,
  replaced: (count) => `${count} replaced by another entry of the same UID`,
  field: (count) => `${count} with a value that no event may have`,
};

/** @param command imports the same file again */
export function printReport(report: ImportReport, file: string, command: string): void {
  const { added, changed, unchanged, placedByName, placedByDefault, unplaced, errors, warnings, place } =
    report;
  const print = ({ line, title, reason }: EntryNote) =>
    console.error(printable(`${file}:${line}: ${title ? `"${title}" ` : ''}${reason}`));
  for (const list of [warnings, unplaced, errors]) list.forEach(print);
  const skipped = errors.length > 0 ? `, ${errors.length} skipped` : '';
  console.log(`${added} added, ${changed} changed, ${unchanged} unchanged${skipped}.`);
  if (placedByName > 0)
    console.log(`${had(placedByName)} no GEO and ${placedByName === 1 ? 'was' : 'were'} placed by LOCATION.`);
  if (placedByDefault > 0 && place)
    console.log(
      printable(
        `${had(placedByDefault)} no known place and ${placedByDefault === 1 ? 'is' : 'are'} in ${place.name}, ${sources[place.from]}.`,
      ),
    );
  const counts = [...Map.groupBy([...unplaced, ...errors], ({ cause }) => cause)];
  if (counts.length === 0) return;
  console.log(`To be checked: ${counts.map(([cause, some]) => causes[cause](some.length)).join('; ')}.`);
  if (unplaced.length > 0)
    console.log(`To give them a place, import again with a town: ${command} --place TOWN`);
}

const had = (count: number): string => `${count} had`;

const sources = {
  option: 'the town of the command',
  calendar: 'where most other events of the calendar are',
  organizer: "where the last event that the organizer made is, or the town of the organizer's profile",
};

/** Replaces control characters, because text of a calendar could contain terminal escape sequences. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');
