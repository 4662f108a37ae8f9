/** `import FILE|ADDRESS --organizer CONTACT`: imports a calendar, a table or a web page. A repeated import applies only the changes. */
import path from 'node:path';
import { type Database, isTransient, transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { Config } from '../config/config.ts';
import { parseCoordinates } from '../lib/coordinates.ts';
import { categorySlugs } from '../modules/events/catalogue.ts';
import { importCalendar, OrganizerError } from '../modules/imports/import-calendar.ts';
import type { FileEntries } from '../modules/imports/parse-entry.ts';
import { type DefaultPlace, namedPlace } from '../modules/imports/place-entries.ts';
import type { ImportReport } from '../modules/imports/report.ts';
import { loadCountryNames } from '../modules/places/address/country-names.ts';
import { AddressFinder } from '../modules/places/address/find-address.ts';
import type { Gazetteer } from '../modules/places/gazetteer.ts';
import { findOrCreateByCommand, nameOf, parseContactArgument } from './command/accounts.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { openGazetteer } from './command/open-gazetteer.ts';
import { startProgressBar } from './command/progress-bar.ts';
import { printReport } from './import/print-report.ts';
import { readDateOrder, readSource } from './import/read-source.ts';

type ImportOptions = {
  organizer?: string | undefined;
  category?: string | undefined;
  place?: string | undefined;
  at?: string | undefined;
  'date-order'?: string | undefined;
};

/** Prints invalid entries to stderr. They do not fail the command. @throws CommandError */
export async function importCommand(config: Config, rest: string[], options: ImportOptions): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0 || !options.organizer) {
    throw new CommandError(
      'Usage: import FILE|ADDRESS --organizer CONTACT [--category SLUG] [--place TOWN | --at LAT,LNG] ' +
        '[--date-order day-first|month-first]',
    );
  }
  const contact = parseContactArgument(options.organizer);
  const { category } = options;
  if (category !== undefined && !categorySlugs.some((slug) => slug === category)) {
    throw new CommandError(`There is no category "${category}". There are: ${categorySlugs.join(', ')}.`);
  }
  const at = readAt(options);
  const order = readDateOrder(options['date-order']);
  const calendar = await readSource(config, file, order);
  const gazetteer = await openGazetteer();
  const place = at ? namedPlace(at, gazetteer) : await findPlace(options.place, gazetteer);
  await runCommand(config, async ({ db, config: { secretKey, publicUrl } }) => {
    const report = await transaction(db, (tx) => findOrCreateByCommand(tx, contact, secretKey))
      .then((organizer) => {
        if (organizer.isNew) console.log(`No account had ${nameOf(contact)}: created one.`);
        return importWithBar(db, calendar, {
          organizerId: organizer.id,
          publicUrl,
          category,
          place,
          gazetteer,
        });
      })
      .catch((error: Error) => {
        throw toCommandError(error);
      });
    printReport(report, path.basename(file), commandOf(file, options));
  });
}

const commandOf = (file: string, { organizer, 'date-order': order }: ImportOptions): string =>
  `import ${file} --organizer ${organizer}${order === undefined ? '' : ` --date-order ${order}`}`;

/** @throws CommandError */
function readAt({ at: text, place }: ImportOptions): Coordinates | null {
  const at = text === undefined ? null : parseCoordinates(text);
  if (text !== undefined && !at)
    throw new CommandError(`--at is "${text}"; it must be a latitude and a longitude: --at 57.71,11.97`);
  if (at && place !== undefined) throw new CommandError('Give --place or --at, not both.');
  return at;
}

async function importWithBar(
  db: Database,
  calendar: FileEntries,
  options: Parameters<typeof importCalendar>[2],
): Promise<ImportReport> {
  let bar: ReturnType<typeof startProgressBar> | undefined;
  const onProgress = (_done: number, total: number) => {
    if (bar) bar.increment();
    else bar = startProgressBar('{bar} {value}/{total}', total);
  };
  try {
    return await importCalendar(db, calendar, { ...options, onProgress });
  } finally {
    bar?.[Symbol.dispose]();
  }
}

function toCommandError(error: Error): Error {
  if (error instanceof OrganizerError) return new CommandError(error.message);
  if (!isTransient(error)) return error;
  return new CommandError(
    `The connection to the database was lost (${error.message}). Import again to continue.`,
  );
}

/** @throws CommandError for a town that does not exist, or of which there are several */
async function findPlace(text: string | undefined, gazetteer: Gazetteer): Promise<DefaultPlace | null> {
  if (text === undefined) return null;
  const finder = new AddressFinder(gazetteer, await loadCountryNames());
  const found = finder.find(text, { zone: null, near: null });
  if (found.place) return { lat: found.place.lat, lng: found.place.lng, name: found.place.name };
  const [first, second] = found.candidates.map(
    ({ name, region, country, lat, lng }) =>
      `${[name, region, country].filter(Boolean).join(', ')} (--at ${lat},${lng})`,
  );
  throw new CommandError(
    first && second
      ? `--place "${text}" may be ${first}, ${second} or another one; add the country, or use --at.`
      : `There is no town "${text}". Give its coordinates: --at 57.71,11.97`,
  );
}
