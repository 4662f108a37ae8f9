/** Faults of series: dates that are made twice, come back or belong to others. */
import { type Fault, faultsOf } from '../fault.ts';

export const seriesFaults: Fault[] = [
  ...faultsOf('src/modules/series/make-dates.ts', [
    [
      'return plan.dates.filter(({ date }) => !existing.has(date));',
      'return plan.dates;',
      'series-races',
      'a date is made twice',
    ],
  ]),
  ...faultsOf('src/modules/attendance/rsvps/policy.ts', [
    [
      'const isAnswered = rsvp ? !rsvp.isOfSeries : isAbsent;',
      'const isAnswered = rsvp !== null && !rsvp.isOfSeries;',
      'series-rsvps',
      'an answer to all dates overwrites that a person leaves one out',
    ],
    [
      'const isAnswered = rsvp ? !rsvp.isOfSeries : isAbsent;',
      'const isAnswered = isAbsent;',
      'series-rsvps',
      'an answer to all dates overwrites that to one',
    ],
  ]),
  ...faultsOf('src/modules/attendance/rsvps/apply.ts', [
    [
      'if (rsvp) return rsvp.isUncounted;',
      'if (rsvp) return false;',
      'series-rsvps',
      'what did not count for the organizer is taken back',
    ],
  ]),
  ...faultsOf('src/modules/events/series/repo.ts', [
    [
      'where id = ${id} for key share`',
      'where id = ${id}`',
      'series-rsvp-races',
      'a date that is made meanwhile has no RSVP',
    ],
  ]),
  ...faultsOf('src/modules/events/series/change-occurrences.ts', [
    [
      'await copyPeople(tx, series.id, changed.series.id);',
      '',
      'series-rsvps',
      'a split loses the answers to all dates',
    ],
  ]),
  ...faultsOf('src/modules/events/series/visible-series.ts', [
    [
      "throw new Problem('series_not_found');\n  requireOrganizer(series, caller);",
      "throw new Problem('series_not_found');",
      'series-rules',
      'a stranger changes a series',
    ],
    ['return seen.length > 0;', 'return true;', 'series', 'a stranger sees a private series'],
  ]),
  ...faultsOf('src/modules/series/policy.ts', [
    [
      'await tx.query(sql`select 1 from user_counters where user_id = ${userId} for update`);',
      '',
      'series-races',
      'two series take the last place',
    ],
  ]),
  ...faultsOf('src/modules/series/change-series.ts', [
    ['requireMatch(request, versionOfSeries(series));', '', 'series-rules', 'a rule overwrites another one'],
    ['if (query.dryRun) throw new DryRun(result);', '', 'series-rules', 'a dry run changes the series'],
  ]),
  ...faultsOf('src/modules/events/series/occurrences.ts', [
    [
      'if (locked?.id === event.seriesId)',
      'if (locked)',
      'series-races',
      'a date is deleted from the series that it has left',
    ],
  ]),
  ...faultsOf('src/modules/events/series/delete-occurrences.ts', [
    [
      'new Set([...schedule.deleted, seriesDate])',
      'new Set([...schedule.deleted])',
      'series-changes',
      'a deleted date comes back',
    ],
  ]),
  ...faultsOf('src/modules/events/series/change-occurrences.ts', [
    [
      'requireMatch(request, versionOfEvent(path.entered));',
      '',
      'series-changes',
      'a change overwrites another one',
    ],
  ]),
  ...faultsOf('src/modules/calendars/get-series-calendar.ts', [
    [
      "series.fields.visibility !== 'private' || isOrganizer(series, viewer);",
      'Boolean(series.id) || isOrganizer(series, viewer);',
      'series-calendar',
      'a calendar shows the fields of private dates',
    ],
  ]),
  ...faultsOf('src/modules/calendars/series-rule.ts', [
    ['count - passed', 'count - passed * 0', 'series-calendar', 'a calendar has more dates than COUNT'],
  ]),
  ...faultsOf('src/modules/events/series/repo.ts', [
    [
      'revision?.lost.reduce((sum, { sequence }) => sum + sequence, 1);',
      'revision?.lost.reduce((sum) => sum, 1);',
      'series-calendar',
      'SEQUENCE falls with the dates that a series loses',
    ],
  ]),
  ...faultsOf('src/modules/events/start-pages.ts', [
    [
      'now: read?.[2] ?? now,',
      'now,',
      'collapsed-lists',
      'a series is on two pages after its first occurrence ended',
    ],
  ]),
  ...faultsOf('src/modules/discovery/memory/collapse.ts', [
    [
      'return seen.addDoc(doc);',
      'return seen.addDoc(doc) || true;',
      'collapsed-lists',
      'a list has a series twice',
    ],
  ]),
  ...faultsOf('src/modules/events/series/own-fields.ts', [
    [
      'if (!exactPlace || !template.exactPlace) return ownFields;',
      'return ownFields;',
      'hidden-addresses',
      'a change of all dates replaces the hidden place of one that was moved alone',
    ],
  ]),
  ...faultsOf('src/modules/events/series/planned-change.ts', [
    [
      'toStored(after, shownPlace)',
      "toStored({ ...after, addressVisibility: 'everyone' }, shownPlace)",
      'hidden-addresses',
      'later dates show the address that the series hides',
    ],
  ]),
  ...faultsOf('src/modules/notifications/delivery/fan-out.ts', [
    [
      'return { amount: first === eventId ? own.size : 0 };',
      'return { amount: 1 };',
      'series-notices',
      'a guest of several dates is told of each',
    ],
    [
      '{ amount: own.size, eventId: first }',
      '{ amount: own.size, ...(next && { eventId: next }) }',
      'series-announcements',
      'an announcement to a series shows a date that does not concern the person',
    ],
  ]),
  ...faultsOf('src/modules/attendance/series/answer-series.ts', [
    [
      "if (isRefused(request, now)) throw new Problem('request_refused');",
      '',
      'series-requests',
      'who was refused asks again at once',
    ],
  ]),
  ...faultsOf('src/modules/attendance/series/decide-request.ts', [
    [
      'await writeSeriesStanding(tx, { seriesId, userId }, { ...standing, isApproved: true });',
      '',
      'series-requests',
      'an approval does not last for later answers',
    ],
    [
      '{ ...asked, isByOrganizer: true }',
      'asked',
      'series-requests',
      'an approval leaves out dates past their deadline',
    ],
  ]),
  ...faultsOf('src/modules/attendance/series/answer-restored-date.ts', [
    ['if (isOwn || ', 'if (', 'series-rsvps', 'a date that takes place again loses the answers to itself'],
  ]),
  ...faultsOf('src/modules/moderation/suspension.ts', [
    [
      'await shareAnsweredSeries(tx, userId);',
      '',
      'series-rsvp-races',
      'a date that is made while a suspension ends lacks an answer',
    ],
  ]),
  ...faultsOf('src/modules/invitations/invited-people.ts', [
    [
      'for (const id of await listInvitedBySeries(tx, userId, eventIds)) invited.add(id);',
      '',
      'series-invitations',
      'an account that confirms a contact does not see the series to which it is invited',
    ],
  ]),
  ...faultsOf('src/modules/events/delete-subjects.ts', [
    [
      'await tx.query(sql`delete from announcements where ${isOneOf(sql`subject_id`, ids)}`);',
      '',
      'series-announcements',
      'announcements stay after their series',
    ],
  ]),
];
