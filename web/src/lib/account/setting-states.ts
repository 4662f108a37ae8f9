/** What the list of settings says about the present state of each section. */
import type { NotificationSettings } from '@potluck/client';
import { formatDay, formatList } from '#lib/language/format.ts';
import { languageNames } from '#lib/language/language-names.ts';
import { getLanguage } from '#lib/language/languages.ts';
import { m } from '#lib/messages/index.js';

/** `blocked`: null if there are more people than a page of them. `getsMails`: whether the server mails the person. */
export type SettingStates = {
  notifications: NotificationSettings;
  getsMails: boolean;
  blocked: number | null;
  hasCalendar: boolean;
  contacts: string[];
  devices: number;
  createdAt: string;
};

/** @returns by the address of the section */
export const describeStates = (states: SettingStates): Record<string, string> => ({
  '/notifications/settings': describeChannels(states),
  '/settings/blocked': describeBlocked(states.blocked),
  '/settings/calendar': states.hasCalendar ? m.account_state_calendar() : m.account_state_no_calendar(),
  '/settings/sign-in': formatList(states.contacts),
  '/settings/devices': m.account_state_devices({ count: states.devices }),
  '/settings/language': languageNames[getLanguage()],
  '/settings/account': m.account_state_since({ day: formatDay(states.createdAt, 'UTC') }),
});

function describeChannels({ notifications, getsMails }: SettingStates): string {
  const levels = Object.values(notifications);
  const [push, mail] = (['push', 'mail'] as const).map((level) =>
    levels.some((each) => each === level || each === 'all'),
  );
  const isMailed = mail && getsMails;
  if (push) return isMailed ? m.account_state_push_mail() : m.account_state_push();
  if (isMailed) return m.account_state_mail();
  return levels.every((level) => level === 'off') ? m.people_level_off() : m.people_level_inbox();
}

const describeBlocked = (count: number | null): string =>
  count === null ? '' : count === 0 ? m.account_no_blocked() : m.event_party({ count });
