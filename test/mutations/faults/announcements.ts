import { type Fault, faultsOf } from '../fault.ts';

export const announcementFaults: Fault[] = [
  ...faultsOf('src/modules/announcements/create-announcement.ts', [
    [
      '${selectSubject(key)} for no key update',
      '${selectSubject(key)}',
      'announcement-races',
      'announcements at once exceed the limit of an event',
    ],
  ]),
  ...faultsOf('src/modules/announcements/policy.ts', [
    ['if (count < max) return;', 'return;', 'announcements', 'nothing limits announcements'],
    ['  subject.isHidden ||\n', '', 'announcements', 'guests of a hidden event get an announcement'],
    [
      " && author?.role !== 'admin')",
      ' && false)',
      'announcements',
      'a person without the right sends an announcement',
    ],
  ]),
  ...faultsOf('src/modules/announcements/repo.ts', [
    [' and audience && ${lists}::text[]', '', 'announcements', 'people read what was written to others'],
    [
      ' and author_id <> all(${blockedIds}::uuid[])',
      '',
      'announcements',
      'people read an author across a block',
    ],
    [' and not is_of_change', '', 'announcements', 'messages of changes use up the limit'],
  ]),
  ...faultsOf('src/modules/announcements/readable.ts', [
    [
      "readable ? 'not_organizer' : 'announcement_not_found'",
      "'not_organizer'",
      'announcements',
      'strangers learn of announcements',
    ],
  ]),
  ...faultsOf('src/outbox/audiences.ts', [
    [
      ' and ${seesEvent(subject)}',
      '',
      'private-events',
      'people who may not see a private event count as recipients',
    ],
    [' and user_id <> ${authorId}', '', 'announcements', 'the author counts as a recipient'],
    [
      'where user_id not in (select id from suspended)',
      '',
      'announcements',
      'suspended people count as recipients',
    ],
  ]),
  ...faultsOf('src/modules/notifications/mail/write-mail.ts', [
    [
      ' && (await isAddressed(db, subjectId, viewer.id, now))',
      '',
      'announcement-delivery',
      'who left gets the mail of an announcement',
    ],
  ]),
];
