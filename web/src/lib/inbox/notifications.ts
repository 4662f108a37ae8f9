/** Notifications in the visitor's language. The kinds, with their icons and texts, are those that the server declares. */
import type { Notification, NotificationSettings } from '@potluck/client';
import {
  adminKinds,
  countedKinds,
  icons,
  type Kind,
  labels,
  sentences,
} from '#lib/generated/notification-kinds.ts';
import { formatList, formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';

export { adminKinds, countedKinds, icons, labels };

/** In the order of the settings. */
export const kinds = Object.keys(labels) as Kind[];
type Level = NotificationSettings[Kind];
export const levels = ['off', 'inbox', 'push', 'mail', 'all'] as const;

/**
 * The levels between which a person chooses, with their texts. A person who gets no mails keeps a level with mails, until they
 * choose another one.
 */
export function levelsFor(kind: Kind, level: Level, getsMails: boolean): { level: Level; text: string }[] {
  const texts = isDaily(kind) ? dailyTexts : immediateTexts;
  const withoutMails = ['off', level === 'mail' ? level : 'inbox', level === 'all' ? level : 'push'] as const;
  const shown: readonly Level[] = getsMails ? levels : withoutMails;
  return shown.map((each) => ({ level: each, text: (getsMails ? texts : textsWithoutMails)[each]() }));
}

/** What people do at an event is one mail a day. */
const isDaily = (kind: Kind): boolean => countedKinds.includes(kind) && !adminKinds.includes(kind);

const immediateTexts = {
  off: m.people_level_off,
  inbox: m.people_level_inbox,
  push: m.people_level_push,
  mail: m.people_level_mail,
  all: m.people_level_all,
};
const dailyTexts = { ...immediateTexts, mail: m.people_level_mail_daily, all: m.people_level_all_daily };
const textsWithoutMails = { ...immediateTexts, mail: m.people_level_inbox, all: m.people_level_push };

/**
 * A sentence without the details, such as `3 new RSVPs: Harbour potluck`.
 * @param mark of the names of people and events
 */
export function describeNotification(
  { kind, count, person, event, decision }: Notification,
  mark = (name: string) => name,
): string {
  if (decision) {
    // A newer server may decide more.
    const describe = decisions[decision.what] ?? m.people_news_decision;
    return describe({ title: mark(event?.title ?? decision.title) });
  }
  const name = mark(person?.name ?? m.people_someone());
  const title = event ? mark(event.title) : '';
  // A newer server may have more kinds.
  return sentences[kind]?.({ title, name, count }) ?? m.people_news_other({ title: title || name });
}

const decisions: Record<
  NonNullable<Notification['decision']>['what'],
  (inputs: { title: string }) => string
> = {
  approved: m.people_decision_approved,
  refused: m.people_decision_refused,
  removed: m.people_decision_removed,
  claimEnded: m.people_decision_claim_ended,
  missed: m.people_decision_missed,
};

type Changes = NonNullable<Notification['changes']>;

const changed: Record<Changes['parts'][number], (changes: Changes) => string> = {
  title: ({ before, after }) => m.people_changed_title({ from: before.title, to: after.title }),
  time: ({ before, after }) => m.people_changed_time({ from: formatPeriod(before), to: formatPeriod(after) }),
  address: ({ before, after }) =>
    m.people_changed_address({ from: before.location.address, to: after.location.address }),
  map: () => m.people_changed_map(),
  status: () => m.people_changed_status(),
};

/** What changed of an event, from what to what; each part a line. */
export const describeChanges = ({ changes }: Notification): string[] =>
  changes ? changes.parts.map((part) => changed[part](changes)) : [];

/** What a reminder says that its reader brings, and what they give of the wish list: each a label and a list of items. */
export const claimsOf = ({ bringing }: Notification): { label: string; items: string }[] =>
  [
    { label: m.people_news_bring(), claimed: bringing.filter(({ kind }) => kind === 'bring') },
    { label: m.people_news_give(), claimed: bringing.filter(({ kind }) => kind === 'wish') },
  ]
    .filter(({ claimed }) => claimed.length > 0)
    .map(({ label, claimed }) => ({ label, items: formatList(claimed.map(toItem)) }));

const toItem = ({ quantity, emoji, title }: Notification['bringing'][number]): string =>
  m.people_quantity({ quantity, title: `${emoji} ${title}` });

/** The page that a notification is about. */
export function hrefOf({ kind, person, event }: Notification): string | null {
  if (event) return `/e/${event.id}`;
  if (kind === 'reports') return '/admin/reports';
  if (kind === 'sourceFailed') return '/import';
  if (!person) return null;
  return kind === 'message' ? `/messages/${person.id}#newest` : `/u/${person.id}`;
}
