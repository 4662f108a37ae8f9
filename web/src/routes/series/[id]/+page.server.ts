import {
  type Client,
  getSeries,
  listSeriesAnnouncements,
  listSeriesEvents,
  listSeriesGuests,
  ProblemError,
  setSeriesRsvp,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { toEventRows } from '#lib/discovery/server/event-rows.ts';
import { getLocale } from '#lib/language/languages.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const eventsPerPage = 20;

export const load: PageServerLoad = async ({ locals: { api, me }, params: path, url }) => {
  const when = readQuery(url).text('when') === 'past' ? ('past' as const) : ('upcoming' as const);
  const [series, page, hasSheet, announced] = await Promise.all([
    read(getSeries({ client: api, path, headers: { 'accept-language': getLocale() } })),
    read(listSeriesEvents({ client: api, path, query: { ...readPage(url, eventsPerPage), when } })),
    showsSheet(api, path),
    me ? read(listSeriesAnnouncements({ client: api, path })) : null,
  ]);
  const { id, title, organizer, ruleText, status, myRsvp = null } = series;
  return {
    id,
    title,
    organizer,
    ruleText,
    hasSheet,
    announced: announced?.data.filter(({ status }) => status === 'sent') ?? [],
    isOwn: me !== null && (me.id === organizer.id || me.role === 'admin'),
    myRsvp,
    isAsked: me !== null && (status === 'active' || myRsvp !== null),
    when,
    // The page of the series needs no links to itself.
    events: {
      ...page,
      data: (await toEventRows(api, page.data)).map((event) => ({ ...event, series: null })),
    },
  };
};

/** Whether the visitor may see who comes to the dates. */
async function showsSheet(client: Client, path: { id: string }): Promise<boolean> {
  try {
    await listSeriesGuests({ client, path, query: { limit: 1 } });
    return true;
  } catch (cause) {
    if (cause instanceof ProblemError) return false;
    throw cause;
  }
}

const eventId = /^[\da-f-]{36}$/;

export const actions: Actions = {
  rsvp: formAction({
    access: 'people',
    send: ({ client, path, form }: Submission<{ id: string }>) => {
      const status = form.text('status');
      return setSeriesRsvp({
        client,
        path,
        body: { status: status === 'going' || status === 'interested' ? status : null },
      });
    },
    // Back to the date on whose page the visitor answered.
    done: (_, __, { path, form }): never => {
      const from = form.text('from');
      redirect(303, eventId.test(from) ? `/e/${from}` : `/series/${path.id}`);
    },
  }),
};
