/** Faults of imports, and of the reading of addresses. */
import { type Fault, faultsOf } from '../fault.ts';

export const importFaults: Fault[] = [
  ...faultsOf('src/modules/imports/calendar-lines.ts', [
    ['if (countEntries(text) > maxEntries)', 'if (false)', 'import', 'a file of any number of entries'],
    ['if (decoded.length > maxBytes) throw tooLarge();', '', 'import', 'a file of twice the size, in UTF-16'],
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
  ...faultsOf('src/modules/imports/import-entry.ts', [
    ['  lacksPlace &&\n', '', 'import-cases', 'a draft of its organizer is published'],
    [
      'event.lat === draftAt.lat &&\n  event.lng === draftAt.lng;',
      'true;',
      'import-cases',
      'a draft that its organizer moved is published',
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
