import { getSeries, listSeriesEvents } from '@potluck/client';
import { toEventRows } from '#lib/discovery/server/event-rows.ts';
import { getLocale } from '#lib/language/languages.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

const eventsPerPage = 20;

export const load: PageServerLoad = async ({ locals: { api }, params: path, url }) => {
  const when = readQuery(url).text('when') === 'past' ? ('past' as const) : ('upcoming' as const);
  const [series, page] = await Promise.all([
    read(getSeries({ client: api, path, headers: { 'accept-language': getLocale() } })),
    read(listSeriesEvents({ client: api, path, query: { ...readPage(url, eventsPerPage), when } })),
  ]);
  const { id, title, organizer, ruleText } = series;
  return {
    id,
    title,
    organizer,
    ruleText,
    when,
    // The page of the series needs no links to itself.
    events: {
      ...page,
      data: (await toEventRows(api, page.data)).map((event) => ({ ...event, series: null })),
    },
  };
};
