/**
 * Writes gatherings.ics, the calendar that test/slow/gatherings.test.ts imports: `node test/data/gatherings.ts`.
 * All entries are invented. The same program always writes the same bytes, and a test compares them with the file.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

export const file = path.join(import.meta.dirname, 'gatherings.ics');

/** Entries with GEO: name of the place, latitude, longitude, and the TZID that the entry names. */
const cities: [location: string, lat: number, lng: number, tzid: string][] = [
  ['Oslo, Norway', 59.9139, 10.7522, 'Europe/Oslo'],
  ['Bergen, Norway', 60.3913, 5.3221, 'Europe/Oslo'],
  ['Tromsø, Norway', 69.6492, 18.9553, 'Europe/Oslo'],
  ['Longyearbyen, Svalbard', 78.2232, 15.6267, 'Arctic/Longyearbyen'],
  ['Stockholm, Sweden', 59.3293, 18.0686, 'Europe/Stockholm'],
  ['København, Denmark', 55.6761, 12.5683, 'Europe/Copenhagen'],
  ['Helsinki, Finland', 60.1699, 24.9384, 'Europe/Helsinki'],
  ['Berlin, Germany', 52.52, 13.405, 'Europe/Berlin'],
  ['Potsdam, Germany', 52.3906, 13.0645, 'Europe/Berlin'],
  ['Frankfurt, Germany', 50.1109, 8.6821, 'Europe/Berlin'],
  ['Amsterdam, Netherlands', 52.3676, 4.9041, 'Europe/Amsterdam'],
  ['Utrecht, Netherlands', 52.0907, 5.1214, 'Europe/Amsterdam'],
  ['London, U.K.', 51.5074, -0.1278, 'Europe/London'],
  ['Reading, U.K.', 51.4543, -0.9781, 'Europe/London'],
  ['Paris, France', 48.8566, 2.3522, 'Europe/Paris'],
  ['Madrid, Spain', 40.4168, -3.7038, 'Europe/Madrid'],
  ['New York, NY, U.S.A.', 40.7128, -74.006, 'America/New_York'],
  ['Jersey City, NJ, U.S.A.', 40.7178, -74.0431, 'America/New_York'],
  ['San Francisco, CA, U.S.A.', 37.7749, -122.4194, 'America/Los_Angeles'],
  ['Oakland, CA, U.S.A.', 37.8044, -122.2712, 'America/Los_Angeles'],
  ['Utqiaġvik, AK, U.S.A.', 71.2906, -156.7886, 'America/Anchorage'],
  ["St. John's, NL, Canada", 47.5615, -52.7126, 'America/St_Johns'],
  ['Buenos Aires, Argentina', -34.6037, -58.3816, 'America/Argentina/Buenos_Aires'],
  ['Nairobi, Kenya', -1.2921, 36.8219, 'Africa/Nairobi'],
  ['Bengaluru, India', 12.9716, 77.5946, 'Asia/Kolkata'],
  ['Kathmandu, Nepal', 27.7172, 85.324, 'Asia/Kathmandu'],
  ['Singapore, Singapore', 1.3521, 103.8198, 'Asia/Singapore'],
  ['Tokyo, Japan', 35.6762, 139.6503, 'Asia/Tokyo'],
  ['Auckland, New Zealand', -36.8485, 174.7633, 'Pacific/Auckland'],
  ['Suva, Fiji', -18.1416, 178.4419, 'Pacific/Fiji'],
  ['Apia, Samoa', -13.8333, -171.7667, 'Pacific/Apia'],
];
const entriesOfCity = 12;

/** Entries without GEO that a list of the world's towns can place. */
const named = [
  'Frankfurt am Main, Germany',
  'Washington, DC, U.S.A.',
  "St Julian's, Malta",
  'Gran Canaria, Spain',
  'Goa, India',
  'Texel, Netherlands',
  'Ibiza, Spain',
  'Tel Aviv, Israel',
  'Wrocław, Poland',
  'Gothenburg, Sweden',
  'Milano, Italy',
  'Newcastle-Upon-Tyne, U.K.',
  'Hollywood, FL, U.S.A.',
  'Rust, Germany',
  'Wuerzburg, Germany',
  'A Coruña, Spain',
  's-Hertogenbosch, Netherlands',
  'Heraklion, Greece',
  'Marburg, Germany',
  'Antwerp, Belgium',
  'Koto, Japan',
  'Perth, WA',
  'Atlanta, Georgia',
  'Tbilisi, Georgia',
  'Praha, Czech Republic',
  'Lisboa, Portugal',
  'Reykjavík, Iceland',
  'Ljubljana, Slovenia',
  'Montréal, Canada',
  'Messe (Halle 3), 60327 Frankfurt am Main, Germany',
];
const entriesOfName = 2;

/** Entries without GEO that name no place. */
const nowhere = [
  'Online',
  'To be announced',
  "Anna's garden",
  'https://meet.example/quince',
  'Room 12',
  'Hall B, second floor',
  '…',
  undefined,
];

const dishes = ['Sourdough', 'Pickle', 'Dumpling', 'Rhubarb', 'Chowder', 'Quince', 'Flatbread', 'Smørrebrød'];
const kinds = [
  'supper',
  'picnic',
  'workshop',
  'swap',
  'brunch',
  'tasting; bring a jar',
  'market, all welcome',
];
const categories = ['food', 'Food & drink', 'MUSIC', 'gardening,Arts & culture', 'baking'];
/** Months in which every zone of this file is clearly either in standard or in summer time. */
const months = [1, 6, 12, 2, 7, 5, 8];

const two = (number: number) => String(number).padStart(2, '0');
const escaped = (text: string) => text.replace(/[\\;,]/g, '\\$&');

/** Lines of at most 75 bytes (RFC 5545, 3.1); a fold may split a character, and alternates between space and tab. */
function folded(line: string, at: number): Buffer {
  const bytes = Buffer.from(line);
  const parts: Buffer[] = [bytes.subarray(0, 75)];
  for (let from = 75; from < bytes.length; from += 74)
    parts.push(Buffer.from(at % 2 ? '\r\n\t' : '\r\n '), bytes.subarray(from, from + 74));
  return Buffer.concat([...parts, Buffer.from('\r\n')]);
}

type Fields = Record<string, string | undefined>;

const component = (fields: Fields): string[] => [
  'BEGIN:VEVENT',
  ...Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name + value])),
  'END:VEVENT',
];

/** The nth entry. The first of four is all-day, in the middle of a month; the others have a time in one of three forms. */
function entry(n: number, uid: string, tzid: string, fields: Fields): string[] {
  const month = months[n % months.length] ?? 1;
  const year = 2026 + (n % 3);
  const title = `${dishes[n % dishes.length]} ${kinds[n % kinds.length]} ${n}`;
  const description =
    n % 5 === 0
      ? `Bring a plate\\, a cup and a chair.\\nThe ${dishes[n % dishes.length]} lasts until it is eaten\\; ` +
        'leftovers go to the kitchen of the neighbours – the one with the blue door.'
      : undefined;
  const day = (of: number) => `${year}${two(month)}${two(of)}`;
  const hour = 7 + (n % 12);
  const times = (): Fields => {
    const first = 10 + (n % 8);
    if (n % 4 === 0)
      return { DTSTART: `;VALUE=DATE:${day(first)}`, DTEND: `;VALUE=DATE:${day(first + 1 + (n % 3))}` };
    const start = 1 + ((n * 5) % 24);
    const end = n % 7 === 0 ? start + 3 : start;
    const clocks = [`${day(start)}T${two(hour)}${two((n * 15) % 60)}00`, `${day(end)}T${two(hour + 3)}3000`];
    if (n % 4 === 1) return { DTSTART: `:${clocks[0]}Z`, DTEND: `:${clocks[1]}Z` };
    const zone = n % 4 === 2 ? `;TZID=${tzid}` : `;TZID="/gatherings.example/${tzid}"`;
    return { DTSTART: `${zone}:${clocks[0]}`, DTEND: `${zone}:${clocks[1]}` };
  };
  return component({
    UID: `:${uid}-${n}@gatherings.example`,
    DTSTAMP: ':20260101T000000Z',
    ...times(),
    SUMMARY: `:${escaped(title)}`,
    DESCRIPTION: description && `:${description}`,
    CATEGORIES: `:${categories[n % categories.length]}`,
    STATUS: n % 17 === 3 ? ':CANCELLED' : n % 6 === 1 ? ':CONFIRMED' : undefined,
    CLASS: n % 19 === 5 ? ':PRIVATE' : undefined,
    SEQUENCE: n % 9 === 0 ? `:${n % 4}` : undefined,
    'X-SEATS': n % 8 === 0 ? ';X-KIND="a;b:c":12' : undefined,
    ...fields,
  });
}

/** Constructs of RFC 5545 that are legal and rare, each in an entry in Oslo. */
const odd = (name: string, fields: Fields): string[] =>
  component({
    UID: `:odd-${name}@gatherings.example`,
    DTSTAMP: ':20260101T000000Z',
    SUMMARY: `:Odd: ${name}`,
    LOCATION: ':Oslo\\, Norway',
    GEO: ':59.9139;10.7522',
    ...fields,
  });
const ended = { DTSTART: ':20270304T170000Z', DTEND: ':20270304T190000Z' };
const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT15M', 'DESCRIPTION:Leave now', 'END:VALARM'];
const oddities: string[][] = [
  odd('duration', { DTSTART: ':20270304T170000Z', DURATION: ':P1DT2H30M' }),
  odd('weeks', { DTSTART: ':20270304T170000Z', DURATION: ':P2W' }),
  odd('signed-duration', { DTSTART: ':20270304T170000Z', DURATION: ':+PT90M' }),
  odd('day-over-summer-time', { DTSTART: ';TZID=Europe/Oslo:20270327T120000', DURATION: ':P1D' }),
  odd('hours-over-summer-time', { DTSTART: ';TZID=Europe/Oslo:20270327T120000', DURATION: ':PT24H' }),
  odd('floating', { DTSTART: ':20270704T170000', DTEND: ':20270704T190000' }),
  odd('own-zone', { DTSTART: ';TZID=Tidewater:20270304T170000', DTEND: ';TZID=Tidewater:20270304T190000' }),
  odd('own-zone-summer', {
    DTSTART: ';TZID=Tidewater:20270704T170000',
    DTEND: ';TZID=Tidewater:20270704T190000',
  }),
  odd('two-zones', {
    DTSTART: ';TZID=Europe/Oslo:20270304T170000',
    DTEND: ';TZID=America/New_York:20270304T170000',
  }),
  odd('leap-second', { DTSTART: ':20261231T235960Z', DTEND: ':20270101T010000Z' }),
  odd('explicit-value', {
    DTSTART: ';VALUE=DATE-TIME;TZID=Europe/Oslo:20270304T180000',
    DTEND: ';X-NOTE="ends; or so: maybe";TZID=Europe/Oslo:20270304T200000',
  }),
  odd('escapes', { ...ended, SUMMARY: ':One\\, two\\; three \\\\ four\\Nfive' }),
  odd('parameters', { ...ended, SUMMARY: ';LANGUAGE=en;ALTREP="https://a.example/b;c:d":Tea: with milk' }),
  odd('signed-geo', { ...ended, GEO: ':+59;+010.500000' }),
  odd('two-categories', { ...ended, CATEGORIES: ':baking', 'CATEGORIES;LANGUAGE=en': ':music' }),
  odd('revision', { ...ended, SUMMARY: ':Superseded', SEQUENCE: ':1' }),
  odd('revision', { ...ended, SUMMARY: ':Odd: revision', SEQUENCE: ':2' }),
  odd('series', { ...ended, RRULE: ':FREQ=WEEKLY;COUNT=4' }),
  odd('series', {
    ...ended,
    SUMMARY: ':Odd: moved',
    'RECURRENCE-ID': ':20270311T170000Z',
    DTSTART: ':20270312T170000Z',
    DTEND: ':20270312T190000Z',
  }),
  odd('alarm', ended).toSpliced(-1, 0, ...alarm),
  odd('small-letters', ended).map((line) => line.replace(/^[A-Z]+(?=[:;])/, (name) => name.toLowerCase())),
  odd('long-title', { ...ended, SUMMARY: `:${'ø'.repeat(60)}` }),
];

/** A zone that only this file knows: half past three east in winter, an hour more in summer. */
const tidewater = [
  'BEGIN:VTIMEZONE',
  'TZID:Tidewater',
  'BEGIN:STANDARD',
  'DTSTART:20201025T030000',
  'TZOFFSETFROM:+0430',
  'TZOFFSETTO:+0330',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:20200329T020000',
  'TZOFFSETFROM:+0330',
  'TZOFFSETTO:+0430',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];
/** Components that are no events. */
const others = [
  ...[
    'BEGIN:VTODO',
    'UID:todo@gatherings.example',
    'DTSTAMP:20260101T000000Z',
    'SUMMARY:Buy flour',
    'END:VTODO',
  ],
  ...['BEGIN:VJOURNAL', 'UID:journal@gatherings.example', 'DTSTAMP:20260101T000000Z', 'END:VJOURNAL'],
];

export function makeCalendar(): Buffer {
  let n = 0;
  const inCities = cities.flatMap(([location, lat, lng, tzid]) =>
    Array.from({ length: entriesOfCity }, () =>
      entry(n++, 'city', tzid, { LOCATION: `:${escaped(location)}`, GEO: `:${lat};${lng}` }),
    ),
  );
  const byName = named.flatMap((location) =>
    Array.from({ length: entriesOfName }, () =>
      entry(n++, 'named', 'Europe/Oslo', { LOCATION: `:${escaped(location)}` }),
    ),
  );
  const unplaceable = nowhere.map((location) =>
    entry(n++, 'nowhere', 'Europe/Oslo', { LOCATION: location && `:${escaped(location)}` }),
  );
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//gatherings//EN',
    'X-WR-CALNAME:Gatherings',
    'X-WR-TIMEZONE:Europe/Oslo',
  ];
  const lines = [
    head,
    tidewater,
    ...inCities,
    others,
    ...byName,
    ...unplaceable,
    ...oddities,
    ['END:VCALENDAR'],
  ];
  return Buffer.concat(lines.flat().map(folded));
}

if (import.meta.main) writeFileSync(file, makeCalendar());
