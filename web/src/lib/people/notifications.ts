/** Notifications in the visitor's language. The kinds, with their icons and texts, are those that the server declares. */
import type { Notification, NotificationSettings } from '@potluck/client';
import { type Kind, labels, sentences } from '#lib/generated/notification-kinds.ts';
import { m } from '#lib/messages/index.js';

export { adminKinds, countedKinds, icons, labels } from '#lib/generated/notification-kinds.ts';

/** In the order of the settings. */
export const kinds = Object.keys(labels) as Kind[];
type Level = NotificationSettings[Kind];
const withoutMails = ['off', 'inbox', 'push'] as const;
const withMails = ['off', 'mail', 'all'] as const;
export const levels = [...withoutMails, 'mail', 'all'] as const;

/**
 * The levels between which a person chooses, with their texts. A person who gets no mails keeps what they chose about mails for
 * the time when they do.
 */
export function levelsFor(level: Level, getsMails: boolean): { level: Level; text: string }[] {
  const isMailed = level === 'mail' || level === 'all';
  const shown: readonly Level[] = getsMails ? levels : isMailed ? withMails : withoutMails;
  return shown.map((each) => ({ level: each, text: (getsMails ? texts : textsWithoutMails)[each]() }));
}

const texts = {
  off: m.people_level_off,
  inbox: m.people_level_inbox,
  push: m.people_level_push,
  mail: m.people_level_mail,
  all: m.people_level_all,
};
const textsWithoutMails = { ...texts, mail: m.people_level_inbox, all: m.people_level_push };

/**
 * A sentence without the details, such as `3 new RSVPs: Harbour potluck`.
 * @param mark of the names of people and events
 */
export function describeNotification(
  { kind, count, person, event }: Notification,
  mark = (name: string) => name,
): string {
  const name = mark(person?.name ?? m.people_someone());
  const title = event ? mark(event.title) : '';
  // A newer server may have more kinds.
  return sentences[kind]?.({ title, name, count }) ?? m.people_news_other({ title: title || name });
}

/** The page that a notification is about. */
export function hrefOf({ kind, person, event }: Notification): string | null {
  if (event) return `/e/${event.id}`;
  if (kind === 'reports') return '/admin/reports';
  if (!person) return null;
  return kind === 'message' ? `/messages/${person.id}#newest` : `/u/${person.id}`;
}
