/**
 * Calendars in the styles of 22 programs (test/data/calendars/): each is imported by the command, read back over the API
 * and as a calendar, and compared with what an independent parser reads.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { distanceKm } from '#record-index';
import { sampleOf } from '../support/all-cases.ts';
import { createImporter } from '../support/calendar-files.ts';
import { command } from '../support/command.ts';
import { nextPhone, signIn } from '../support/factories.ts';
import { pythonProblem, readEntries } from '../support/read-mails.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const directory = path.join(import.meta.dirname, '..', 'data', 'calendars');
const api = await startTestApp();
const { eventsOf } = createImporter(api);

type Town = [lat: number, lng: number];
const towns = {
  gothenburg: [57.71, 11.97],
  molndal: [57.66, 12.01],
  wurzburg: [49.79, 9.95],
  cambridge: [42.37, -71.11],
  somerville: [42.39, -71.1],
  sanJose: [37.34, -121.89],
  redwoodCity: [37.49, -122.24],
  koge: [55.46, 12.18],
  sydney: [-33.87, 151.21],
  newcastle: [-32.93, 151.78],
  totnes: [50.43, -3.68],
  graz: [47.07, 15.45],
  wurselen: [50.82, 6.13],
  aachen: [50.78, 6.08],
  stolberg: [50.77, 6.23],
  grenoble: [45.18, 5.72],
  oxford: [51.75, -1.26],
  prague: [50.09, 14.42],
  brno: [49.2, 16.61],
  copenhagen: [55.68, 12.57],
  rome: [41.89, 12.5],
  milan: [45.46, 9.19],
  vienna: [48.21, 16.37],
  amsterdam: [52.37, 4.89],
  toronto: [43.67, -79.4],
  londonOntario: [42.98, -81.25],
  valencia: [39.47, -0.38],
  tokyo: [35.69, 139.69],
  yokohama: [35.44, 139.64],
  kyiv: [50.45, 30.52],
} satisfies Record<string, Town>;

/** The town of each event by its title; null for a draft, because nothing in the file says where it is. */
const places: Record<string, Record<string, keyof typeof towns | null>> = {
  'apple.ics': { 'Block party 🥳': 'sanJose', 'Story time': 'redwoodCity', 'Fourth of July': null },
  'church.ics': { Højmesse: 'copenhagen', Natkirke: null },
  'exchange.ics': {
    'Soup kitchen': 'cambridge',
    'Spring clean': 'somerville',
    'Reading group': 'somerville',
  },
  'facebook.ics': { 'Pizza night': 'koge', 'Open doors': 'koge' },
  'google.ics': {
    'Baka kanelbullar': 'gothenburg',
    Sommarhelg: 'gothenburg',
    Onsdagskör: 'molndal',
    Styrelsemöte: 'gothenburg',
  },
  'joomla.ics': { Concerto: 'rome', Mercato: 'milan' },
  'league.ics': {
    'SV Beispiel - TSV Muster': 'wurselen',
    'FC Nachbar - SV Beispiel': 'aachen',
    'SV Beispiel - SC Dorf': 'aachen',
    Turnier: 'stolberg',
  },
  'library.ics': { 'Autorské čtení': 'prague', Pohádky: 'brno' },
  'meetup.ics': { 'Starter swap': 'sydney', Excursion: 'newcastle' },
  'nextcloud.ics': { Jahreshauptversammlung: 'graz', Stammtisch: null, 'Stammtisch (verschoben)': null },
  'notes.ics': { Zomerborrel: 'amsterdam' },
  'outlook.ics': { Spieleabend: 'wurzburg', Maifest: 'wurzburg' },
  'phone.ics': { 'Café am Abend': 'vienna' },
  'pretalx.ics': { 'Opening - Ada': null, 'Types all the way - Bo': null, 'Lightning talks': null },
  'school.ics': {
    "Vacances d'hiver": null,
    'Portes ouvertes': 'grenoble',
    'Réunion des parents': 'grenoble',
    "Fête de l'école": 'grenoble',
  },
  'thunderbird.ics': { 'Вечір хліба': 'kyiv' },
  'tickets.ics': { 'Jazz at the tower': 'toronto', 'Jazz in London': 'londonOntario' },
  'tokyo.ics': { パンの勉強会: 'tokyo', 発酵ナイト: 'yokohama' },
  'townhall.ics': {
    'Las Fallas': 'valencia',
    'Paella popular': 'valencia',
    'Noche de museos': 'valencia',
    Exposición: 'valencia',
  },
  'university.ics': {
    'Public lecture: bread in Rome': 'oxford',
    'Public lecture: wine in Rome': 'oxford',
    Seminar: 'oxford',
  },
  'waste.ics': { Restmüll: null, 'Gelber Sack': null },
  'wordpress.ics': { 'May fair – stalls & music': 'totnes', 'Market day': 'totnes', Quiz: 'totnes' },
};
/** What no parser but the product reads, and what the file means. */
const starts: Record<string, string> = {
  'Spring clean': '2027-04-12T13:00:00.000Z',
  'Reading group': '2027-05-12T23:00:00.000Z',
  Zomerborrel: '2027-06-17T12:00:00.000Z',
  Mercato: '2027-04-25T08:00:00.000Z',
  'Autorské čtení': '2027-03-11T16:00:00.000Z',
  Pohádky: '2027-03-12T09:00:00.000Z',
  Maifest: '2027-04-30T22:00:00.000Z',
  'Stammtisch (verschoben)': '2027-02-02T18:00:00.000Z',
};

/** Changed dates of series, which are no entries of their own. */
const ofSeries = new Set(['Stammtisch (verschoben)']);

/** Each is imported by a process of its own. */
const checked = sampleOf(Object.entries(places), 8);

const options = { skip: pythonProblem === '' ? false : pythonProblem };

test('import: each calendar of the folder has a test', () => {
  assert.deepEqual(readdirSync(directory).sort(), Object.keys(places).sort());
});

for (const [file, expected] of checked)
  test(
    `import: ${file} comes in whole, with the places, titles and times that it means`,
    options,
    async () => {
      const phone = nextPhone();
      const source = path.join(directory, file);
      const { code, stdout } = await command(api.target, 'import', source, '--organizer', phone);
      assert.equal(code, 0);
      const own = Object.entries(expected).filter(([title]) => !ofSeries.has(title));
      assert.match(stdout, new RegExp(`^${own.length} added, 0 changed, 0 unchanged\\.$`, 'm'));
      const unplaced = own.filter(([, town]) => town === null).length;
      assert.equal(/To be checked: (\d+) without a known place/.exec(stdout)?.[1] ?? '0', `${unplaced}`);
      const events = await eventsOf(await signIn(api, phone));
      assert.deepEqual([...new Set(events.map(({ title }) => title))].sort(), Object.keys(expected).sort());
      const entries = readEntries(readFileSync(source));
      for (const { title, startAt, locationKind, location } of events) {
        const town = expected[title];
        assert.equal(locationKind, town ? 'place' : 'later', title);
        if (town) {
          const [lat = 0, lng = 0] = towns[town];
          assert.ok(distanceKm(location, { lat, lng }) < 15, `${title}: ${location.lat}, ${location.lng}`);
        }
        const entry = entries.find(({ summary, isSeries }) => summary === title && !isSeries);
        if (starts[title]) assert.equal(startAt, starts[title], title);
        else if (entry?.start) assert.equal(startAt, entry.start, title);
      }
    },
  );

test('import: what the calendars published is in the calendar of all events', options, async () => {
  const { body } = expectStatus(await api.get('/v1/events.ics?dateFrom=2026-12-01&dateTo=2028-01-01'), 200);
  const exported = new Set(readEntries(Buffer.from(body)).map(({ summary }) => summary));
  const published = checked
    .flatMap(([, titles]) => Object.entries(titles))
    .filter(([title, town]) => town !== null && title !== 'Onsdagskör')
    .map(([title]) => title);
  assert.deepEqual(
    published.filter((title) => !exported.has(title)),
    [],
  );
});
