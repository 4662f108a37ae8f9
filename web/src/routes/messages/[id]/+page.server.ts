import {
  type Client,
  type Event,
  getEvent,
  listMessages,
  markMessagesRead,
  ProblemError,
  sendMessage,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { toShared } from '#lib/event/server/shared-event.ts';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { findCorrespondent } from '#lib/inbox/server/find-correspondent.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, params, url, platform, depends }) => {
  depends('app:thread');
  const me = requireMe(locals, url);
  if (me.id === params.id) redirect(303, '/messages');
  const { api } = locals;
  const [person, { data, nextCursor }, event] = await Promise.all([
    findCorrespondent(api, params.id),
    read(listMessages({ client: api, path: params, query: readPage(url, 50) })),
    findEvent(api, readQuery(url).text('event')),
  ]);
  const eventIds = new Set(data.flatMap(({ eventId }) => eventId ?? []));
  const found = await Promise.all([...eventIds].map((id) => findEvent(api, id)));
  const events = new Map(found.flatMap((each) => (each ? [[each.id, each.title] as const] : [])));
  const shown = event && (await toShared(event, { platform, url }));
  return {
    ...{ person, messages: data.toReversed(), events, nextCursor, key: crypto.randomUUID() },
    event: shown,
  };
};

/** The event from whose page the visitor comes. A conversation is as useful without it. */
async function findEvent(client: Client, id: string): Promise<Event | null> {
  if (id === '') return null;
  try {
    return (await getEvent({ client, path: { id } })).data;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

const showNewest = ({ path, url }: Submission<{ id: string }>): never => {
  const event = readQuery(url).text('event');
  redirect(303, `/messages/${path.id}${event ? `?event=${encodeURIComponent(event)}` : ''}#newest`);
};

export const actions: Actions = {
  send: formAction({
    access: 'people',
    fields: (form) => ({ ...texts(form, 'key'), text: linesOf(form.get('text')) }),
    send: async ({ client, path, headers, url }, { text }) => {
      // The event may be deleted since the page was opened.
      const event = await findEvent(client, readQuery(url).text('event'));
      await sendMessage({ client, path, body: { text, ...(event && { eventId: event.id }) }, headers });
      await markMessagesRead({ client, path });
    },
    done: (_, __, submission) => showNewest(submission),
  }),

  /** For browsers without scripts. */
  read: formAction({
    access: 'people',
    send: ({ client, path }) => markMessagesRead({ client, path }),
    done: (_, __, submission) => showNewest(submission),
  }),
};
