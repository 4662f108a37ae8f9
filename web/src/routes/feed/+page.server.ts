import { getFeed } from '@potluck/client';
import { toEventRows } from '#lib/discovery/server/event-rows.ts';
import { collapsed } from '#lib/discovery/server/filters.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const { followingCount } = requireMe(locals, url);
  const feed = await read(getFeed({ client: locals.api, query: { ...readPage(url, 24), ...collapsed } }));
  return {
    feed: { ...feed, data: await toEventRows(locals.api, feed.data) },
    followingCount,
  };
};
