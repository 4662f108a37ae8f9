/** What lists show beside the records of events. */
import { type Client, getEventHighlights, ProblemError } from '@potluck/client';
import type { Highlights } from '#lib/discovery/worth-knowing.ts';

/** Adds to the events of lists what else their rows show. A list without it is better than none. */
export async function withHighlights<T extends { id: string }>(
  api: Client,
  events: T[],
): Promise<(T & { highlights?: Highlights | undefined })[]> {
  if (events.length === 0) return [];
  const found = await readHighlights(api, events);
  return events.map((event) => ({ ...event, highlights: found.get(event.id) }));
}

async function readHighlights(api: Client, events: { id: string }[]): Promise<Map<string, Highlights>> {
  const ids = events.map(({ id }) => id);
  const calls = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, i) =>
    getEventHighlights({
      client: api,
      query: { ids: ids.slice(i * maxIds, (i + 1) * maxIds).join() },
    }),
  );
  try {
    const found = (await Promise.all(calls)).flatMap(({ data }) => data.data);
    return new Map(found.map(({ id, ...highlights }) => [id, toFaces(highlights)]));
  } catch (error) {
    if (error instanceof ProblemError) return new Map();
    throw error;
  }
}

/** Rows show faces and no more of people. */
const toFaces = ({ guests, ...counts }: Highlights): Highlights => ({
  ...counts,
  guests: guests.map(({ id, name, avatar }) => ({ id, name, avatar })),
});

/** Of a call. */
const maxIds = 50;
