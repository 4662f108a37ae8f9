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
  ...faultsOf('src/modules/series/policy.ts', [
    ['requireOrganizer(series, caller);', '', 'series-rules', 'a stranger changes a series'],
    ['return seen.length > 0;', 'return true;', 'series', 'a stranger sees a private series'],
    [
      'await tx.query(sql`select 1 from user_counters where user_id = ${userId} for update`);',
      '',
      'series-races',
      'two series take the last place',
    ],
  ]),
  ...faultsOf('src/modules/series/change-series.ts', [
    [
      'requireMatch(request, versionOfSeries(toSeries(series, { organizer, next: undefined }, reader)));',
      '',
      'series-rules',
      'a rule overwrites another one',
    ],
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
      'requireMatch(request, await versionAsEntered(tx, path));',
      '',
      'series-changes',
      'a change overwrites another one',
    ],
  ]),
  ...faultsOf('src/modules/notifications/delivery/fan-out.ts', [
    [
      'return among.find((id) => own.has(id)) === eventId ? own.size : 0;',
      'return 1;',
      'series-notices',
      'a guest of several dates is told of each',
    ],
  ]),
];
