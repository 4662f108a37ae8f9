import {
  getEvent,
  listConversations,
  listMyInvitations,
  listNotifications,
  markNotificationsRead,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { answerInvitation } from '#lib/event/guests/server/own-invitations.ts';
import { texts } from '#lib/forms/texts.ts';
import { eventsWithTotals, type Totals } from '#lib/inbox/notification-groups.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const { id: meId } = requireMe(locals, url);
  const client = locals.api;
  const isUnreadOnly = readQuery(url).text('unread') === 'true';
  const query = { ...readPage(url, 30), ...(isUnreadOnly && { unread: true }) };
  const inbox = await read(listNotifications({ client, query }));
  const writers = inbox.data.flatMap(({ kind, person }) => (kind === 'message' && person ? [person.id] : []));
  const [conversations, events, invitations] = await Promise.all([
    writers.length > 0
      ? read(listConversations({ client, query: { limit: 30 } })).then(({ data }) => data)
      : [],
    Promise.all(eventsWithTotals(inbox.data).map((id) => getEvent({ client, path: { id } }))),
    inbox.data.some(({ kind }) => kind === 'invitation')
      ? read(listMyInvitations({ client, query: { limit: 50 } })).then(({ data }) => data)
      : [],
  ]);
  const totals = events.flatMap(({ data: event }): [string, Totals][] => {
    if (!event) return [];
    const { id, goingCount, rsvpCount, bookedCount } = event;
    return [[id, { goingCount, rsvpCount, bookedCount }]];
  });
  /** Whether each writer waits for a reply. */
  const waiting = conversations
    .filter(({ user }) => writers.includes(user.id))
    .map(({ user, lastMessage }) => [user.id, lastMessage.senderId === user.id] as const);
  return {
    ...{ meId, inbox, isUnreadOnly, waiting: new Map(waiting), totals: new Map(totals) },
    invitations: new Map(invitations.map(({ id, event, status }) => [event.id, { id, status }] as const)),
  };
};

export const actions: Actions = {
  answer: answerInvitation('/notifications'),

  /** Those that arrived after the page was loaded stay unread. */
  readAll: formAction({
    access: 'people',
    fields: (form) => texts(form, 'upTo'),
    send: ({ client }, body) => markNotificationsRead({ client, body }),
    done: () => redirect(303, '/notifications'),
  }),
};
