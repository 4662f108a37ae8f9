/** Events as the rows of lists show them. */
import { type Client, getEventHighlights, type ListedEvent, ProblemError } from '@potluck/client';
import type { ShownEvent, Unshown } from '#lib/discovery/groups.ts';
import type { Highlights } from '#lib/discovery/worth-knowing.ts';
import { withShortAddresses } from './short-address.ts';

/**
 * Shortens the addresses of events, and adds what else their rows show. A list without highlights is better than none.
 * @param known the town that the page names: rows do not repeat it
 */
export async function toEventRows<T extends ListedEvent>(
  api: Client,
  events: T[],
  known = '',
): Promise<(Omit<T, Unshown> & Pick<ShownEvent, 'highlights'>)[]> {
  if (events.length === 0) return [];
  const found = await readHighlights(api, events);
  return withShortAddresses(events, known).map((event) => {
    const {
      description: _d,
      visibility: _v,
      rsvpCount: _r,
      partyCount: _p,
      isSaved: _i,
      createdAt: _c,
      ...shown
    } = event;
    return { ...shown, highlights: found.get(event.id) };
  });
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
