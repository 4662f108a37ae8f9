import { listMyEvents, listUserEvents, ProblemError } from '@potluck/client';
import type { LayoutServerLoad } from './$types';

const query = { when: 'upcoming', limit: 50 } as const;

/**
 * The next event of the other person to which the visitor goes. A conversation is as useful without it. The refreshes of the
 * messages do not load it again.
 */
export const load: LayoutServerLoad = async ({ locals: { api: client, me }, params: path }) => {
  if (!me) return { nextEvent: null };
  try {
    const [mine, theirs] = await Promise.all([
      listMyEvents({ client, query: { ...query, relation: 'going' } }),
      listUserEvents({ client, path, query }),
    ]);
    const ids = new Set(theirs.data.data.map(({ id }) => id));
    return { nextEvent: mine.data.data.find(({ id }) => ids.has(id)) ?? null };
  } catch (error) {
    if (error instanceof ProblemError) return { nextEvent: null };
    throw error;
  }
};
