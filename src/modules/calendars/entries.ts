/** Calendar entries: events with the names of their organizers, rendered without blocking other requests. */
import { mapInTurns, runInTurn } from '#base';
import type { CachedEvent } from '../events/event-cache.ts';
import type { People } from '../people/people.ts';
import {
  type CalendarEntry,
  type CalendarTitle,
  type EntryRenderer,
  type RenderedCalendar,
  renderCalendar,
} from './present.ts';

/** Limits of a calendar of several events: the number of entries, and the characters of each description. */
export const maxEntries = 500;
export const maxDescriptionLength = 2_000;

export const toEntry = async ({ row }: CachedEvent, people: People): Promise<CalendarEntry> => {
  const person = await people.find(row.organizerId);
  return { event: row, organizerName: person?.name ?? null };
};

/** Renders a calendar in turns of the event loop: hundreds of entries take about 100 ms. */
export async function renderEvents(
  { people, renderEntry }: { people: People; renderEntry: EntryRenderer },
  events: CachedEvent[],
  title: CalendarTitle,
): Promise<RenderedCalendar> {
  const entries = await Promise.all(events.map((event) => toEntry(event, people)));
  const rendered = await mapInTurns(entries, renderEntry);
  return runInTurn(() => renderCalendar(rendered, title));
}
