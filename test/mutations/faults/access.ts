/** Faults of visibility and permission: events, guests, uploads, calendars, admins. */
import { type Fault, faultsOf } from '../fault.ts';

export const accessFaults: Fault[] = [
  ...faultsOf('src/modules/events/policy.ts', [
    ["&& (event.visibility !== 'private' || isInside)", '', 'hidden-events', 'a private event'],
    ['return !event.hidden && ', 'return ', 'admin-hidden-events', 'an event that an admin hides'],
    [
      "or not e.hidden and (e.visibility <> 'private'",
      "or (e.visibility <> 'private'",
      'admin-hidden-events',
      'lists of events that an admin hides',
    ],
    ["e.visibility <> 'private' or e.id in (", 'true or e.id in (', 'own-lists', 'lists of private events'],
    ["event.visibility === 'public' && event", 'event', 'users', 'lists show unlisted events'],
    [" && event.status === 'scheduled'", '', 'users', 'lists show cancelled events'],
    [
      "e.visibility = 'public' and e.status",
      'e.status',
      'event-list-model',
      'lists of the database show unlisted events',
    ],
    [
      "if (!isOrganizer(event, viewer)) throw new Problem('not_organizer');",
      '',
      'event-changes',
      'a stranger changes an event',
    ],
  ]),
  ...faultsOf('src/modules/events/hide-event.ts', [
    [
      '{ hidden: isSuspended, hiddenReason',
      '{ hidden: false, hiddenReason',
      'admin-hidden-events',
      'showing an event shows it while its organizer is suspended',
    ],
  ]),
  ...faultsOf('src/modules/events/organizer-events.ts', [
    [
      ' and hidden_at is null',
      '',
      'admin-hidden-events',
      'restoring an account shows events that an admin hides',
    ],
  ]),
  ...faultsOf('src/modules/items/duplicate-event.ts', [
    [
      "if (source.hiddenAt) throw new Problem('event_hidden');",
      '',
      'admin-hidden-events',
      'a copy of a hidden event',
    ],
  ]),
  ...faultsOf('src/modules/discovery/highlights.ts', [
    [
      '!(await isVisibleTo(isInvited, eventId, event, viewer))',
      'false',
      'highlights',
      'highlights of a private event',
    ],
    [
      'first: listsGuests ? guests : []',
      'first: guests',
      'highlights',
      'faces of a guest list that the caller may not read',
    ],
  ]),
  ...faultsOf('src/modules/discovery/first-guests.ts', [
    [
      'first.filter(({ isHidden }) => wanted || !isHidden)',
      'first',
      'highlights',
      'a guest who hides at one event of the list is left out at the others',
    ],
    [
      '.filter(({ isHidden }) => seesAll || !isHidden)',
      '',
      'highlights',
      'the face of a guest who hides at this event and not at another one of the list',
    ],
    [
      'limit === 0 || first.length < guestsRead || !last',
      'true || !last',
      'highlights',
      'hidden guests take the places of those whom everybody sees',
    ],
  ]),
  ...faultsOf('src/modules/events/require-own-event.ts', [
    ['requireOrganizer(row, caller);', '', 'event-changes', 'a stranger changes an event'],
  ]),
  ...faultsOf('src/modules/events/repo.ts', [
    [
      '(await isVisibleTo(invitedIn(tx), id, event, viewer)) ? event : null',
      'event',
      'event-changes',
      'reveals a private event',
    ],
  ]),
  ...faultsOf('src/modules/events/audience.ts', [
    [
      "(viewer.id === organizerId || viewer.role === 'admin')",
      'viewer.id === organizerId',
      'guests',
      'admins see no guests',
    ],
    [
      "if (audience === 'everyone' ||",
      "if (audience !== 'guests' ||",
      'guests',
      'everybody sees the guests of the organizer',
    ],
    [
      'viewer !== null && isGuest({ eventId: event.id, userId: viewer.id })',
      'viewer !== null',
      'guests',
      'everybody counts as a guest',
    ],
  ]),
  ...faultsOf('src/modules/events/shown-people.ts', [
    ['hidden.has(id) || relation?.isBlocked', 'relation?.isBlocked', 'guests', 'shows guests who hide'],
    ['hidden.has(id) || relation', 'hidden.has(id) && relation', 'guests', 'shows guests across a block'],
    ['!isPrivate || id === viewer.id ||', 'true ||', 'guests', 'shows private profiles'],
    [' and suspended_at is null`', '`', 'guests', 'shows suspended people'],
    ['isHidden === false ? []', 'isHidden !== true ? []', 'claimants', 'shows a claimant whose RSVP is gone'],
  ]),
  ...faultsOf('src/modules/uploads/repo.ts', [
    ["viewer.id !== userId && viewer.role !== 'admin'", 'false', 'uploads', 'a stranger deletes an image'],
    ['row && !hidden.has(row.userId) ? row : null', 'row ?? null', 'uploads', 'images of a suspended person'],
    [
      'where id = ${id} and user_id = ${userId}`',
      'where id = ${id}`',
      'upload-uses',
      'the image of another person as avatar',
    ],
    ['if (usage.today <= maxPerDay) return;', 'return;', 'uploads', 'the number of images a day'],
    ['if (Number(usage.bytes) > maxStoredBytes)', 'if (false)', 'uploads', 'the size of stored images'],
    [
      'if (count > 0) await recordChange(tx, { records: [changedPeople([userId])] });',
      '',
      'upload-uses',
      'another server shows a deleted avatar',
    ],
  ]),
  ...faultsOf('src/server/health/get-metrics.ts', [
    [
      "if (headers['x-forwarded-for'] ?? headers.forwarded)",
      'if (false)',
      'operators',
      'everybody reads the metrics through the proxy',
    ],
  ]),
  ...faultsOf('src/modules/uploads/create-upload.ts', [
    ['await announceFile(db, row.id, row.createdAt);', '', 'uploads', 'a file without a row stays forever'],
  ]),
  ...faultsOf('src/modules/events/visible-event.ts', [
    [
      '(await isVisibleTo(isInvited, id, event?.row, viewer)) ? event : null',
      'event',
      'event-records',
      'records, lists, streams and calendars of a private event',
    ],
  ]),
  ...faultsOf('src/modules/live/repo.ts', [
    ['s.items, s.changes, ', 's.items, ', 'live', 'changed items are not sent'],
    [
      "concat_ws(' ', e.version, c.version,",
      "concat_ws(' ', e.version,",
      'live',
      'changed counts are not sent',
    ],
    [
      "concat_ws(' ', e.version, c.version,",
      "concat_ws(' ', c.version,",
      'live',
      'a changed title is not sent',
    ],
    ['sum(version + claims_version)', 'sum(claims_version)', 'live', 'a changed item is not sent'],
    ['where e.version is distinct from k.version', 'where true', 'live-polls', 'silent events are read'],
  ]),
  ...faultsOf('src/modules/live/topics.ts', [
    ["if (caller && !current) return 'token_invalid';", '', 'live-access', 'a stream outlives its session'],
    [
      'isVisible(row, current, { isInvited }) ? null',
      'true ? null',
      'live-access',
      'a stream of a private event',
    ],
  ]),
  ...faultsOf('src/modules/moderation/suspension.ts', [
    ["if (state.role === 'admin') throw", 'if (false) throw', 'admin-suspension', 'an admin is suspended'],
  ]),
  ...faultsOf('src/modules/accounts/roles/repo.ts', [
    ['if (others.length === 0) throw', 'if (false) throw', 'admin-roles', 'no admin is left'],
  ]),
  ...faultsOf('src/modules/moderation/repo.ts', [
    ['listedCondition()', 'sql`true`', 'admin-reports', 'the overview counts drafts'],
  ]),
  ...faultsOf('src/http/define-endpoint.ts', [
    [
      "caller === 'admin' && input.caller?.role !== 'admin'",
      'false',
      'access-matrix',
      'everybody lists accounts',
    ],
  ]),
  ...faultsOf('src/identity/act-as-admin.ts', [
    [
      'const { role } = await lockCaller(tx, caller);',
      'const { role } = caller;',
      'admin-roles',
      'a former admin acts',
    ],
  ]),
];
