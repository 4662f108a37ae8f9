/** Reads the events of a web page, which stand in it as JSON-LD with the words of schema.org. */
import { mapInTurns } from '#base';
import { CalendarError } from '../calendar-error.ts';
import { decodeText, maxEntries, tooManyEntries } from '../file-bytes.ts';
import { noCalendar } from '../parse-calendar.ts';
import type { CalendarEntry, FileEntries } from '../parse-entry.ts';
import type { EntryIssue } from '../report.ts';
import { readEvent } from './event-entry.ts';
import { findEvents, type Json } from './find-events.ts';
import { findScripts, type Script } from './find-scripts.ts';

/** @throws CalendarError for a page without events, or above a bound */
export async function readPage(bytes: Buffer): Promise<FileEntries> {
  const scripts = await mapInTurns(await findScripts(await decodeText(bytes)), parseScript);
  const read = scripts.filter((script): script is Json => 'value' in script);
  const { events, references } = await findEvents(read);
  if (events.length === 0) throw new CalendarError('file_unreadable', 'has no events in JSON-LD');
  if (events.length > maxEntries) throw tooManyEntries();
  const calendar = noCalendar();
  const entries = await mapInTurns(events, (event) => readEvent(event, references, calendar));
  const broken = scripts.filter((script): script is EntryIssue => 'reason' in script);
  return { calendar, parsed: [...withoutRepeated(entries), ...broken] };
}

/** `JSON.parse` cannot be divided, and takes 50 ms for so many objects with keys of their own. */
const maxObjects = 10_000;
/** Values, and commas in texts. */
const maxCommas = 25_000;
const [openBrace, openBracket, comma] = [123, 91, 44];

/** Whether it has more objects and lists than a page of events. Brackets within texts are few. */
function isTooComplex(text: string): boolean {
  let [objects, commas] = [0, 0];
  for (let i = 0; i < text.length && objects <= maxObjects && commas <= maxCommas; i++) {
    const code = text.charCodeAt(i);
    if (code === openBrace || code === openBracket) objects++;
    else if (code === comma) commas++;
  }
  return objects > maxObjects || commas > maxCommas;
}

const opening = /^(?:<!--|(?:\/\/|\/\*)?\s{0,10}<!\[CDATA\[(?:\s{0,10}\*\/)?)/;
const closing = /(?:-->|(?:\/\/|\/\*)?\s{0,10}\]\]>(?:\s{0,10}\*\/)?)$/;
/** The closing of a comment is within so many characters of the end. */
const tailLength = 30;

/** JSON in a comment of HTML or a CDATA section, and with line breaks in its texts, which JSON does not have. */
function parseScript({ line, text }: Script): Json | EntryIssue {
  if (text === null || isTooComplex(text))
    return { line, cause: 'broken', reason: 'is JSON-LD that is too long or has too many objects' };
  const trimmed = text.trim();
  const bare =
    trimmed.slice(0, -tailLength).replace(opening, '') + trimmed.slice(-tailLength).replace(closing, '');
  try {
    return { line, value: JSON.parse(bare.replace(/[\u0000-\u001f]/g, ' ')) as unknown };
  } catch {
    return { line, cause: 'broken', reason: 'is JSON-LD that cannot be read' };
  }
}

/** Pages describe one event in several scripts. */
function withoutRepeated(entries: (CalendarEntry | EntryIssue)[]): (CalendarEntry | EntryIssue)[] {
  const known = new Set<string>();
  return entries.filter((entry) => {
    if (!('period' in entry)) return true;
    const key = `${entry.uid}\n${entry.period.start.local}`;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
