/** Reads a file of any kind into entries: the one place that knows the kinds. */
import { mapInTurns } from '#base';
import { parseCalendar } from './parse-calendar.ts';
import { type FileEntries, parseEntry } from './parse-entry.ts';

/** @throws CalendarError */
export async function readFile(bytes: Buffer): Promise<FileEntries> {
  const calendar = await parseCalendar(bytes);
  return { calendar, parsed: await mapInTurns(calendar.blocks, (block) => parseEntry(block, calendar)) };
}
