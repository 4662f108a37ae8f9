import { listMyClaims, listMyEvents, listMyInvitations } from '@potluck/client';
import { toEventRows } from '#lib/discovery/server/event-rows.ts';
import { collapsed } from '#lib/discovery/server/filters.ts';
import { answerInvitation } from '#lib/event/guests/server/own-invitations.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

const tabs = ['going', 'invitations', 'saved', 'organizing', 'claims', 'past'] as const;
const pastOf = ['going', 'organizing'] as const;
const none = { events: null, interested: null, claims: null, invitations: null };

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  const client = locals.api;
  const asked = readQuery(url);
  const tab = tabs.find((name) => name === asked.text('tab')) ?? 'going';
  const of = pastOf.find((name) => name === asked.text('of')) ?? 'going';
  if (tab === 'claims') {
    const claims = await read(listMyClaims({ client, query: readPage(url, 50) }));
    return { ...none, tab, of, claims };
  }
  if (tab === 'invitations') {
    const invitations = await read(listMyInvitations({ client, query: readPage(url, 24) }));
    return { ...none, tab, of, invitations };
  }
  const selection =
    tab === 'past'
      ? ({ relation: of, when: 'past' } as const)
      : ({ relation: tab, when: 'upcoming' } as const);
  const isFirstOfGoing = tab === 'going' && !asked.has('cursor');
  const rowsOf = async (query: Parameters<typeof listMyEvents>[0]['query']) => {
    const page = await read(listMyEvents({ client, query: { ...query, ...collapsed } }));
    return { ...page, data: await toEventRows(client, page.data) };
  };
  const [events, interested] = await Promise.all([
    rowsOf({ ...selection, ...readPage(url, 24) }),
    isFirstOfGoing ? rowsOf({ relation: 'interested', when: 'upcoming', limit: 24 }) : null,
  ]);
  return { ...none, tab, of, events, interested };
};

export const actions = { answer: answerInvitation('/mine?tab=invitations') };
