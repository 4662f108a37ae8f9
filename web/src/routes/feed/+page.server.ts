import { getFeed } from '@potluck/client';
import { withHighlights } from '#lib/server/discovery/highlights.ts';
import { withShortAddresses } from '#lib/server/discovery/short-address.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const { followingCount } = requireMe(locals, url);
  const feed = await read(getFeed({ client: locals.api, query: readPage(url, 24) }));
  return {
    feed: { ...feed, data: await withHighlights(locals.api, withShortAddresses(feed.data)) },
    followingCount,
  };
};
