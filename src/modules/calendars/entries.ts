/** Calendar entries: events with the names of their organizers, rendered without blocking other requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CachedEvent } from '../events/event-cache.ts';
import type { People } from '../users/people.ts';
import type { CalendarEntry, EntryRenderer, RenderedEntry } from './present.ts';

/** Limits of a calendar of several events: the number of entries, and the characters of each description. */
export const maxEntries = 500;
export const maxDescriptionLength = 2_000;

/**
 * In ms. Rendering hundreds of entries takes about 100 ms; after this long, other requests get their turn.
 */
const maxTurnMs = 5;

export const toEntry = async ({ row }: CachedEvent, people: People): Promise<CalendarEntry> => {
  const person = await people.find(row.organizerId);
  return { event: row, organizerName: person?.name ?? null };
};

/** Renders entries one after another and yields to the event loop every 5 ms. */
export async function renderEntries(
  entries: CalendarEntry[],
  renderEntry: EntryRenderer,
): Promise<RenderedEntry[]> {
  const rendered: RenderedEntry[] = [];
  let turnStartedAt = performance.now();
  for (const entry of entries) {
    rendered.push(renderEntry(entry));
    if (performance.now() - turnStartedAt < maxTurnMs) continue;
    await nextTurn();
    turnStartedAt = performance.now();
  }
  return rendered;
}
