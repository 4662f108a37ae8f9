/** Calendar entries: events with the names of their organizers, rendered without blocking other requests. */
import { mapInTurns } from '../../lib/map-in-turns.ts';
import type { CachedEvent } from '../events/event-cache.ts';
import type { People } from '../users/people.ts';
import type { CalendarEntry, EntryRenderer, RenderedEntry } from './present.ts';

/** Limits of a calendar of several events: the number of entries, and the characters of each description. */
export const maxEntries = 500;
export const maxDescriptionLength = 2_000;

export const toEntry = async ({ row }: CachedEvent, people: People): Promise<CalendarEntry> => {
  const person = await people.find(row.organizerId);
  return { event: row, organizerName: person?.name ?? null };
};

/** Renders entries in turns: hundreds of them take about 100 ms. */
export const renderEntries = (
  entries: CalendarEntry[],
  renderEntry: EntryRenderer,
): Promise<RenderedEntry[]> => mapInTurns(entries, renderEntry);
