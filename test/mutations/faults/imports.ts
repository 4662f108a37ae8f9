/** Faults of imports, and of the reading of addresses. */
import { type Fault, faultsOf } from '../fault.ts';

export const importFaults: Fault[] = [
  ...faultsOf('src/modules/imports/calendar-lines.ts', [
    ['if (countEntries(text) > maxEntries)', 'if (false)', 'import', 'a file of any number of entries'],
  ]),
  ...faultsOf('src/modules/imports/file-bytes.ts', [
    ['if (decoded.length > maxBytes) throw tooLarge();', '', 'import', 'a file of twice the size, in UTF-16'],
  ]),
  ...faultsOf('src/modules/imports/tables/date-order.ts', [
    [
      'if (evidence.dayFirst && evidence.monthFirst) throw contradiction(column, evidence);',
      '',
      'imports-csv',
      'a table whose dates contradict each other, read with one order',
    ],
  ]),
  ...faultsOf('src/modules/imports/runs/publish-import.ts', [
    [
      "if (run.questions.length > 0) throw new Problem('question_open');",
      '',
      'imports-csv',
      'a publication with an open question',
    ],
  ]),
  ...faultsOf('src/modules/imports/zone-rules.ts', [
    [
      'years.every((year) => datesIn(year, rule).length > 0)',
      'years.some((year) => datesIn(year, rule).length > 0)',
      'import-times',
      'a zone whose rule has no date in some years',
    ],
  ]),
  ...faultsOf('src/modules/imports/place-entries.ts', [
    [
      '(zones.length === 0 || fitOf(place, { names: zones }) > 0)',
      'true',
      'import-cases',
      'an event at a place of another time zone',
    ],
  ]),
  ...faultsOf('src/modules/imports/compare-entries.ts', [
    [
      '(keepsEdits && differsIn(name, current, compared))',
      'false',
      'import-cases',
      'an import overwrites what its organizer has changed',
    ],
  ]),
  ...faultsOf('src/modules/imports/series-dates.ts', [
    [
      'return dateAt(new Date(minute * minuteMs), frame);',
      'return time.local;',
      'import-series',
      'a removed date is looked for by its time in another zone',
    ],
  ]),
  ...faultsOf('src/modules/imports/publish-series.ts', [
    [
      'if (existing !== undefined) return',
      'if (false) return',
      'imports-races',
      'two imports of a series at once make it twice',
    ],
  ]),
  ...faultsOf('src/modules/imports/choose-dates.ts', [
    [
      'one.modified > other.modified',
      'false',
      'import-series',
      'of two entries of one date, the last in place of the latest',
    ],
  ]),
  ...faultsOf('src/modules/series/own-dates.ts', [
    [
      'date && hasDate(schedule, date) ?',
      'date ?',
      'import-series',
      'a split series has the dates of its later part, too',
    ],
  ]),
  ...faultsOf('src/modules/imports/runs/publish-run.ts', [
    [
      'if (!entry || entry.isPublished || (run.isAutomatic && entry.waits)) return;',
      'if (!entry || (run.isAutomatic && entry.waits)) return;',
      'imports-races',
      'an entry published twice',
    ],
  ]),
  ...faultsOf('src/modules/imports/runs/publish-import.ts', [
    [
      "if (run.status !== 'review') throw new Problem('import_published');",
      '',
      'imports',
      'an import published twice',
    ],
  ]),
  ...faultsOf('src/modules/imports/sources/fetch-source.ts', [
    [
      "if (isIP(hostname) !== 0 && !isAllowed(hostname)) throw new SourceError('no public address');",
      '',
      'imports-url',
      'a fetch from an address of the network of the server',
    ],
    [
      'lookup: lookupAllowed(isAllowed)',
      '',
      'imports-url',
      'a fetch from a name of the network of the server',
    ],
  ]),
  ...faultsOf('src/modules/events/imports.ts', [
    ['!imported.has(id)', 'id', 'import-cases', 'an import depends on the one before it'],
  ]),
  ...faultsOf('src/modules/places/address/find-address.ts', [
    [
      'country || region || !context.zone || fitOf(place, context.zone) > 0',
      'true',
      'addresses',
      'a town in another time zone',
    ],
  ]),
];
