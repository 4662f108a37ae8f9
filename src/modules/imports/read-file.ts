/** Reads a file of any kind into entries: the one place that knows the kinds. */
import { mapInTurns } from '#base';
import type { FileKind } from './file-kind.ts';
import { parseCalendar } from './parse-calendar.ts';
import { type FileEntries, parseEntry } from './parse-entry.ts';
import type { Answers, Question } from './tables/date-order.ts';
import { readTable } from './tables/read-table.ts';
import { readPage } from './web-pages/read-page.ts';

/** A question instead of entries, if the person has to say something first. */
export type ReadFile = FileEntries | { question: Question };

/** @throws CalendarError */
export async function readFile(bytes: Buffer, kind: FileKind, answers: Answers = {}): Promise<ReadFile> {
  if (kind === 'csv') return readTable(bytes, answers);
  return kind === 'page' ? readPage(bytes) : readCalendar(bytes);
}

/** @throws CalendarError */
export async function readCalendar(bytes: Buffer): Promise<FileEntries> {
  const calendar = await parseCalendar(bytes);
  return { calendar, parsed: await mapInTurns(calendar.blocks, (block) => parseEntry(block, calendar)) };
}
