import { type Features, listConversations, listNotifications } from '@potluck/client';
import { countMerged } from '#lib/inbox/notification-groups.ts';
import { load as read } from '#lib/server/problems.ts';
import type { LayoutServerLoad } from './$types';

/** Unread notifications, the newest, in which those are looked for that are one row of the inbox. */
const maxCounted = 30;

export const load: LayoutServerLoad = async ({ locals: { api, me }, platform, depends }) => {
  depends('app:me');
  // Changes with every load, also of other parts of a page.
  const loadedAt = new Date().toISOString();
  const country = platform?.defaultCountry ?? null;
  const settings = await platform?.findSettings();
  const signInWays: Features['signIn'] = settings?.signInWays ?? ['phone'];
  const [contact, oidcName] = [settings?.contact ?? null, settings?.oidcName ?? null];
  const ofServer = { country, signInWays, contact, oidcName };
  if (!me) return { me: null, unread: 0, unreadConversations: 0, loadedAt, ...ofServer };
  const [{ unreadCount, data: newest }, { unreadConversations }] = await Promise.all([
    read(listNotifications({ client: api, query: { unread: true, limit: maxCounted } })),
    read(listConversations({ client: api, query: { limit: 1 } })),
  ]);
  return {
    me: { id: me.id, name: me.name, username: me.username, avatar: me.avatar, role: me.role },
    // As many as the rows of the inbox say.
    unread: unreadCount - countMerged(newest, 'UTC'),
    unreadConversations,
    loadedAt,
    ...ofServer,
  };
};
