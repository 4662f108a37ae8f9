/** Reads the present state of each section of the settings. */
import {
  type Client,
  getFeatures,
  getMyCalendar,
  getNotificationSettings,
  listMyBlocks,
  listSessions,
  type Me,
} from '@potluck/client';
import type { SettingStates } from '#lib/account/setting-states.ts';
import { load as read } from '#lib/server/problems.ts';

export async function readSettingStates(client: Client, me: Me): Promise<SettingStates> {
  const [notifications, { mail }, blocks, calendar, sessions] = await Promise.all([
    read(getNotificationSettings({ client })),
    read(getFeatures({ client })),
    read(listMyBlocks({ client, query: { limit: 50 } })),
    read(getMyCalendar({ client })),
    read(listSessions({ client })),
  ]);
  return {
    notifications,
    getsMails: mail && me.email !== null,
    blocked: blocks.nextCursor === null ? blocks.data.length : null,
    hasCalendar: calendar.exists,
    contacts: [me.phone, me.email].filter((contact) => contact !== null),
    devices: sessions.data.length,
    createdAt: me.createdAt,
  };
}
