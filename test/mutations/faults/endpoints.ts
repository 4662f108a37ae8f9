/** Faults of checks that single endpoints make. */
import { type Fault, faultsOf } from '../fault.ts';

export const endpointFaults: Fault[] = [
  ...faultsOf('src/modules/attendance/bookings/list-bookings.ts', [
    ['requireOrganizer(event.row, caller);', '', 'booking-lists', 'a stranger lists bookings'],
  ]),
  ...faultsOf('src/modules/attendance/guests/list-guests.ts', [
    [
      'if (!(await belongsToAudience(',
      'if (false && !(await belongsToAudience(',
      'guests',
      'a stranger lists guests',
    ],
  ]),
  ...faultsOf('src/modules/items/claims/list-claims.ts', [
    ['requireOrganizer(event.row, caller);', '', 'claim-lists', 'a stranger lists claims'],
    ['await requireItemOrganizer(services.db, id, caller);', '', 'claim-lists', 'a stranger lists claims'],
  ]),
  ...faultsOf('src/modules/items/change-item.ts', [
    [
      'await requireItemOrganizer(tx, id, caller);\n      const row',
      'const row',
      'item-changes',
      'a stranger changes an item',
    ],
    [
      'await requireItemOrganizer(tx, id, caller);\n      const check',
      'const check',
      'items',
      'a stranger deletes an item',
    ],
  ]),
  ...faultsOf('src/modules/items/claims/claimants.ts', [
    [
      'if (!(await belongsToAudience(',
      'if (false && !(await belongsToAudience(',
      'claimants',
      'a stranger sees who brings what',
    ],
  ]),
  ...faultsOf('src/modules/events/change-event.ts', [
    ['requireCapacity(before, fields);', '', 'booking-changes', 'a capacity below the booked seats'],
  ]),
  ...faultsOf('src/modules/events/event-rules.ts', [
    [
      'precisionOf({ locationKind }, location ?? before)',
      'precisionOf({ locationKind }, { ...before, ...location })',
      'event-changes',
      'new coordinates of an address count as those of its town',
    ],
    [
      "locationKind === 'place' && isExact",
      'isExact',
      'event-locations',
      'an event without a place stands at an exact point',
    ],
  ]),
  ...faultsOf('src/modules/events/exact-place.ts', [
    [
      'onlineUrl: null,',
      'onlineUrl,',
      'hidden-addresses',
      'the link to join online stands in a public column',
    ],
    ["and status = 'going'", '', 'hidden-addresses', 'people who are interested read the exact place'],
    ["and status = 'booked'", '', 'hidden-addresses', 'people who wait for seats read the exact place'],
  ]),
  ...faultsOf('src/modules/events/public-place.ts', [
    [
      'Math.cos((middle',
      'Math.cos((lat',
      'hidden-addresses',
      'the columns of a cell follow from the exact latitude',
    ],
    ['...publicPlaceOf(gazetteer, event)', '', 'hidden-addresses', 'the public place is the exact one'],
  ]),
  ...faultsOf('src/modules/events/update-events.ts', [
    [
      '(change.isUnseen && staysInSeries(change)) === isUnseen',
      'false === isUnseen',
      'hidden-addresses',
      'a move within the cell changes the record of others',
    ],
  ]),
  ...faultsOf('src/modules/calendars/present.ts', [
    ['isExact ?', 'true ?', 'calendars', 'calendars lead to the middle of the town'],
  ]),
  ...faultsOf('src/modules/calendars/get-calendar.ts', [
    [
      'endedAfter, limit: maxEntries }',
      'endedAfter, limit: maxEntries + 1 }',
      'calendar-feeds',
      'the number of entries',
    ],
  ]),
  ...faultsOf('src/modules/people/relations/list-followers.ts', [
    [
      'await requireProfile(services.profiles, id, caller);',
      '',
      'own-lists',
      'the followers of a private profile',
    ],
  ]),
  ...faultsOf('src/modules/discovery/list-user-events.ts', [
    [
      'await requireProfile(services.profiles, id, caller);',
      '',
      'own-lists',
      'the events of a private profile',
    ],
  ]),
  ...faultsOf('src/modules/discovery/event-lists.ts', [
    ['viewer ? await people.blockedBy(viewer.id) : []', '[]', 'event-search', 'events of a blocked person'],
  ]),
  ...faultsOf('src/modules/discovery/suggest-events.ts', [
    [
      "if (searched.length > maxWords) throw invalid('q', `must have at most ${maxWords} different words`);",
      '',
      'event-suggestions',
      'the number of words',
    ],
  ]),
  ...faultsOf('src/modules/discovery/suggest/corrections.ts', [
    [
      '.filter(({ eventsCount }) => eventsCount > 0)',
      '',
      'event-suggestions',
      'words of ended and hidden events are suggested',
    ],
    [
      '(await search.nearWords(word, effort)).slice(0, choices)',
      'await search.nearWords(word, effort)',
      'src/modules/discovery/suggest/corrections',
      'the number of counted texts',
    ],
  ]),
  ...faultsOf('src/modules/discovery/filters.ts', [
    ['...traits.map(hasTrait),', '', 'event-traits', 'a filter that the database does not apply'],
    [
      '(event.traits & traits) === traits &&',
      '',
      'src/modules/discovery/memory/event-index',
      'a filter that changed events pass without the trait',
    ],
    [
      'traits.map((trait) => segment.withTrait(trait))',
      '[]',
      'src/modules/discovery/memory/event-index',
      'a filter that the index does not apply',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/overlay.ts', [
    [
      'this.#segment.hasWord(bytes) ? [] : { word, at }',
      '[] as { word: string; at: number }[]',
      'event-suggestions',
      'new words are not suggested',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/cluster-events.ts', [
    [
      'found?.copy()',
      'found',
      'src/modules/discovery/memory/event-index',
      'a map without the events that are removed while it runs',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/search-segment.ts', [
    [
      'for (const doc of removed) clearBit(united, doc);',
      '',
      'src/modules/discovery/memory/event-index',
      'removed events with a word',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/segment.ts', [
    ['...data.traits, ', '', 'src/modules/discovery/memory/event-index', 'removed events with a trait'],
    [
      'clearBit(bits, doc);',
      '',
      'src/modules/discovery/memory/event-index',
      'removed events in the bitmaps of the segment',
    ],
    [
      'for (let doc = this.#running.begun; doc < begun; doc++) if ((ends[doc] as number) > at) running.push(doc);',
      '',
      'src/modules/discovery/memory/event-index',
      'events that have begun since the last scan',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/near-words.ts', [
    [
      'i < end && found.length < comparisons; i++',
      'i < end; i++',
      'src/modules/discovery/memory/event-index',
      'the number of compared words',
    ],
    [
      'Math.min(signatures.length, visits)',
      'signatures.length',
      'src/modules/discovery/memory/event-index',
      'the number of words',
    ],
    [
      'i < signatures.length && found.size < comparisons; i++',
      'i < signatures.length; i++',
      'src/modules/discovery/memory/event-index',
      'the number of compared words of changed events',
    ],
    [
      'if (left < 0) break;',
      '',
      'src/modules/discovery/memory/event-index',
      'the number of words of changed events',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/words-by-use.ts', [
    [
      '(maxOrganizers - organizersOf(word))',
      '0',
      'src/modules/discovery/memory/event-index',
      'the words of one organizer come before those of several',
    ],
  ]),
  ...faultsOf('src/modules/discovery/suggest/near-words.ts', [
    [
      'Math.floor(whole / words)',
      'whole',
      'src/modules/discovery/suggest/corrections',
      'the effort for ten words is ten times that for one',
    ],
  ]),
  ...faultsOf('src/modules/discovery/suggest/sql-near-words.ts', [
    [
      'order by count(*) desc, 2 desc, 1 limit ${comparisons}::bigint',
      '',
      'strangers-words',
      'the number of words that are read',
    ],
  ]),
  ...faultsOf('src/modules/discovery/map/event-map.ts', [
    [
      'viewer ? await people.blockedBy(viewer.id) : []',
      '[] as string[]',
      'event-map',
      'events of a blocked person',
    ],
  ]),
  ...faultsOf('src/modules/feed/repo.ts', [
    [' and r.is_hidden is not true', '', 'feed', 'the feed shows a hidden RSVP'],
    [
      '(not u.is_private or f.follows_back or ${isAdmin})',
      'true',
      'feed',
      'the feed shows a private profile',
    ],
  ]),
  ...faultsOf('src/modules/moderation/list-accounts.ts', [
    ["caller: 'admin',", "caller: 'fresh',", 'admin-roles', 'everybody lists accounts and phone numbers'],
  ]),
  ...faultsOf('src/modules/moderation/list-audit.ts', [
    ["caller: 'admin',", "caller: 'fresh',", 'admin-roles', 'everybody reads the audit trail'],
  ]),
  ...faultsOf('src/modules/instance/flags/list-flags.ts', [
    ["caller: 'admin',", "caller: 'fresh',", 'admin-flags', 'everybody reads the flags'],
  ]),
  ...faultsOf('src/modules/accounts/roles/change-role.ts', [
    ['await lockAdmin(tx, caller);', '', 'admin-roles', 'a former admin grants the role'],
  ]),
  ...faultsOf('src/modules/moderation/reports/admin-reports.ts', [
    [
      "caller: 'admin',\n  method: 'GET',\n  path: '/v1/admin/reports',",
      "caller: 'fresh',\n  method: 'GET',\n  path: '/v1/admin/reports',",
      'admin-reports',
      'everybody reads the reports',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sign-in/open-account.ts', [
    ["await flags.require('signUps');", '', 'admin-flags', 'the flag does not stop new accounts'],
  ]),
  ...faultsOf('src/modules/uploads/create-upload.ts', [
    ["await flags.require('uploads');", '', 'uploads', 'the flag does not stop uploads'],
  ]),
  ...faultsOf('src/modules/messages/conversation.ts', [
    ["await flags.require('messages');", '', 'admin-flags', 'the flag does not stop messages'],
  ]),
  ...faultsOf('src/modules/notifications/delivery/repo.ts', [
    [
      '.filter((userId) => full.has(userId)).map(deleteOverflow)',
      '.filter(() => false).map(deleteOverflow)',
      'notification-inbox',
      'an inbox without a limit',
    ],
  ]),
  ...faultsOf('src/modules/live/streams.ts', [
    ['if (this.#reserved >= maxStreams)', 'if (false)', 'live-access', 'streams of a server without a limit'],
  ]),
];
