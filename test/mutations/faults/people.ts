/** Faults of blocks, private profiles, messages, reports and notifications. */
import { type Fault, faultsOf } from '../fault.ts';

export const peopleFaults: Fault[] = [
  ...faultsOf('src/modules/people/relations/change-relation.ts', [
    [
      "if (relation.blocks || relation.blockedBy) throw new Problem('blocked');",
      '',
      'users',
      'a blocked person follows',
    ],
    ['blocks: true,\n  follows: false,', 'blocks: true,', 'users', 'a block leaves the follow'],
    ['followedBy: false,', '', 'users', 'a block leaves the follow of the other person'],
  ]),
  ...faultsOf('src/modules/people/repo.ts', [
    [
      'and r.followed_by',
      'and r.follows',
      'user-search',
      'lists say that the caller follows their followers',
    ],
    [
      'where id = ${other} and suspended_at is null`',
      'where id = ${other}`',
      'admin-suspension',
      'follows a suspended person',
    ],
    [
      'followers_count = followers_count + ${followers}',
      'followers_count = followers_count + abs(${followers}::int)',
      'users',
      'drifting counter',
    ],
    [
      'mirrored(row as RelationRow)',
      '(row as RelationRow)',
      'users',
      'whoever is followed sees a private profile',
    ],
  ]),
  ...faultsOf('src/modules/people/relations/locks.ts', [
    [
      'do update set follows = r.follows',
      'do update set follows = excluded.follows',
      'users',
      'forgets the relation',
    ],
  ]),
  ...faultsOf('src/modules/people/search/repo.ts', [
    ['(blocks or blocked_by)', 'blocks', 'user-search', 'search shows people to those whom they blocked'],
    ['(blocks or blocked_by)', 'blocked_by', 'user-search', 'search shows people whom the caller blocked'],
    [' and suspended_at is null', '', 'admin-suspension', 'search shows suspended people'],
    [
      'then (not search like ${startsName})',
      'then (not search like ${startsWord})',
      'user-search',
      'the rank of several words',
    ],
    ['.slice(0, atMost)', '', 'user-search', 'more people than asked for'],
    ['sql`limit 500`', 'sql``', 'user-search-rows', 'a frequent word reads all accounts'],
  ]),
  ...faultsOf('src/modules/people/search/patterns.ts', [
    [
      '? { runs: [first, second, third], term:',
      '? { runs: [term, term, term], term:',
      'user-search-rows',
      'a phrase reads all accounts',
    ],
    ['length > 2 ||', 'length > 1 ||', 'user-search', 'two characters anywhere'],
    ['withPlainApostrophes(fold(q)', '(fold(q)', 'user-search', 'an apostrophe of its own'],
  ]),
  ...faultsOf('src/modules/people/relations/list-related-people.ts', [
    [
      'await profiles.hiddenFrom(viewer.id)',
      '[]',
      'own-lists',
      'lists of followers show people across a block',
    ],
  ]),
  ...faultsOf('src/modules/people/policy.ts', [
    [
      "(profile.row.isSuspended && viewer?.role !== 'admin')",
      'false',
      'admin-suspension',
      'the profile of a suspended person',
    ],
    [
      "if (!maySeeProfile(profile.row, viewer, profile.relation)) throw new Problem('profile_private');",
      '',
      'blocks-and-privacy',
      'a private profile',
    ],
    [
      'return relation?.followedBy ?? false;',
      'return relation !== null;',
      'users',
      'a follower sees a private profile',
    ],
  ]),
  ...faultsOf('src/modules/messages/policy.ts', [
    [
      'if (!(await people.find(id))?.hasAccount)',
      'if (false)',
      'messages',
      'messages to a person who does not exist',
    ],
    [
      "relation.blocks || relation.blockedBy ? new Problem('blocked') : null",
      'null',
      'messages',
      'a message across a block',
    ],
  ]),
  ...faultsOf('src/modules/messages/message-limit.ts', [
    ['sent >= limits.perMinute', 'sent > limits.perMinute', 'messages', 'one message too many in a minute'],
    ['sentOnDay >= limits.perDay', 'sentOnDay > limits.perDay', 'quotas', 'one message too many in a day'],
    [
      'window.day >= today',
      'window.day === today',
      'quotas',
      'a server whose clock is behind at midnight starts the count of messages again',
    ],
  ]),
  ...faultsOf('src/modules/messages/send.ts', [
    [
      'const createdAt = nextTime(key);',
      'const createdAt = clock();',
      'message-races',
      'two people see two orders',
    ],
  ]),
  ...faultsOf('src/modules/messages/repo.ts', [
    [
      'unread_count = c.unread_count + excluded.unread_count',
      'unread_count = excluded.unread_count',
      'messages',
      'a wrong number of unread messages',
    ],
  ]),
  ...faultsOf('src/modules/moderation/reports/policy.ts', [
    [
      'event && (await isVisibleTo(invitedIn(tx), event.id, event, viewer))',
      'event',
      'admin-reports',
      'reveals a private event',
    ],
    [' and not is_own`', '`', 'admin-reports', 'a report of an own message'],
    [
      "suspended_at is null or ${viewer.role === 'admin'}",
      'true',
      'admin-reports',
      'reveals a suspended person',
    ],
  ]),
  ...faultsOf('src/outbox/causes.ts', [
    [
      'where actor_id <> user_id and amount',
      'where amount',
      'notifications',
      'a person is notified of their own actions',
    ],
  ]),
  ...faultsOf('src/modules/notifications/delivery/deliver-causes.ts', [
    [', ...(ready.length > 0 ? [deleteCauses(ready)] : [])', '', 'notifications', 'a cause notifies twice'],
    ['if (!isOurs || found', 'if (found', 'notification-races', 'two servers deliver at once'],
  ]),
  ...faultsOf('src/modules/notifications/delivery/deliver.ts', [
    [
      ' && !blocked.has(keyOfPersons({ userId, otherId: actorId }))',
      '',
      'notifications',
      'a blocked person causes notifications',
    ],
    ['return userId !== actorId && ', 'return ', 'notifications', 'an organizer learns of the own change'],
    ["|| !reachesPerson(cause, 'inbox')", '', 'notifications', 'a kind that is switched off'],
    [
      'if (!people.active.has(actorId)) return false;',
      '',
      'notifications',
      'a suspended person causes notifications',
    ],
    [" && reachesPerson(row, 'push')", '', 'push', 'a push of a kind that only goes to the inbox'],
  ]),
  ...faultsOf('src/modules/notifications/delivery/fan-out.ts', [
    [
      'not e.hidden ${isNotOver}',
      'true ${isNotOver}',
      'notifications',
      'guests learn of an event that an admin hides',
    ],
  ]),
  ...faultsOf('src/modules/moderation/reports/repo.ts', [
    [
      "where role = 'admin' and suspended_at is null",
      "where role = 'admin'",
      'report-notifications',
      'a suspended admin is notified of reports',
    ],
  ]),
  ...faultsOf('src/modules/notifications/delivery/deliver.ts', [
    [' and n.count = ${count}', '', 'report-notifications', 'each report is pushed'],
  ]),
  ...faultsOf('src/outbox/kinds.ts', [
    [
      "peopleOf(subject, ['going'])",
      '[...peopleOf(subject, guestAudiences)]',
      'notification-inbox',
      'a reminder to people who do not come',
    ],
  ]),
  ...faultsOf('src/modules/notifications/repo.ts', [
    [
      'and not (n.kind = any(${kindsFromPeople}) and ${isPersonHidden})',
      '',
      'notifications',
      'the inbox shows people across a block',
    ],
    ["and me.role = 'admin'", '', 'report-notifications', 'a former admin learns of reports'],
    [
      'or (e.id is not null and ${visibleCondition(viewer)})',
      'or e.id is not null',
      'notifications',
      'the inbox shows a private event',
    ],
  ]),
  ...faultsOf('src/modules/guests/answer-as-guest.ts', [
    [
      "if (!isSeenByAll) throw new Problem('event_not_found');",
      '',
      'mail-links',
      'strangers answer to a private event by the link of a mail to a guest',
    ],
    [
      'if (!isSeenByAll && !(await',
      'if (false && !(await',
      'mail-links',
      'accounts that are not invited answer to a private event by the link of a mail to a guest',
    ],
    [
      "if (refusal?.code === 'too_many_tries') return refusal;",
      '',
      'repeated-answers',
      'who knows a key guesses the code of a stored answer without a limit',
    ],
  ]),
  ...faultsOf('src/modules/notifications/mail/write-mail.ts', [
    [
      'if (!isConfirmed(reader, row)) return',
      'if (false) return',
      'guest-mails',
      "mails to a contact that nobody has confirmed have people's words",
    ],
  ]),
];
