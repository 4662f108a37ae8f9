/** Addresses as people write them: which town they name, and which street. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadCountryNames } from '../../src/modules/places/address/country-names.ts';
import { readAddress, readTowns } from '../../src/modules/places/address/read-address.ts';
import { townIn } from '../../src/modules/places/address/town-in.ts';
import { commonTown, shortAddress } from '../../web/src/lib/discovery/server/short-address.ts';
import { parseChosen } from '../../web/src/lib/places/parse-chosen.ts';
import { addressIn, addressLine, isAddressIn } from '../../web/src/lib/places/place-address.ts';

const countries = await loadCountryNames();
const readingsOf = (text: string) => readTowns(text, countries);

/** @param line the address of the event, if it is not the text as it is */
type Example = [text: string, town: string, street: string, line?: string];

const examples: Record<string, Example[]> = {
  'in Sweden and Norway': [
    ['Götgatan 5, Göteborg', 'Göteborg', 'Götgatan 5'],
    ['Kastanjegatan 14 Mölndal', 'Mölndal', 'Kastanjegatan 14', 'Kastanjegatan 14, Mölndal'],
    ['Götgatan 5, 411 05 Göteborg', 'Göteborg', 'Götgatan 5, 411 05'],
    ['Götgatan 5 411 05 Göteborg', 'Göteborg', 'Götgatan 5, 411 05', 'Götgatan 5, 411 05 Göteborg'],
    ['Götgatan 5, SE-411 05 Göteborg', 'Göteborg', 'Götgatan 5, SE-411 05'],
    ['Götgatan 5, 41105 Göteborg', 'Göteborg', 'Götgatan 5, 41105'],
    ['Götgatan 5, Göteborg, Sverige', 'Göteborg', 'Götgatan 5', 'Götgatan 5, Göteborg'],
    ['Götgatan 5 B, lgh 1102, Göteborg', 'Göteborg', 'Götgatan 5 B, lgh 1102'],
    ['Götgatan 5B Göteborg', 'Göteborg', 'Götgatan 5B', 'Götgatan 5B, Göteborg'],
    [
      'Västra Hamngatan 12-14 Göteborg',
      'Göteborg',
      'Västra Hamngatan 12-14',
      'Västra Hamngatan 12-14, Göteborg',
    ],
    ['Storgatan 1, Upplands Väsby', 'Upplands Väsby', 'Storgatan 1'],
    ['Storgatan 1 Upplands Väsby', 'Upplands Väsby', 'Storgatan 1', 'Storgatan 1, Upplands Väsby'],
    ['Karl Johans gate 22, 0026 Oslo', 'Oslo', 'Karl Johans gate 22, 0026'],
    ['Karl Johans gate 22 0026 Oslo', 'Oslo', 'Karl Johans gate 22, 0026', 'Karl Johans gate 22, 0026 Oslo'],
    ['Aker Brygge, Oslo', 'Oslo', 'Aker Brygge'],
    ['Mölndal', 'Mölndal', ''],
    ['Oslo, Norge', 'Oslo', '', 'Oslo'],
  ],
  'in Germany': [
    ['Kastanienallee 12, 10435 Berlin', 'Berlin', 'Kastanienallee 12, 10435'],
    [
      'Kastanienallee 12 10435 Berlin',
      'Berlin',
      'Kastanienallee 12, 10435',
      'Kastanienallee 12, 10435 Berlin',
    ],
    ['Kastanienallee 12a, D-10435 Berlin', 'Berlin', 'Kastanienallee 12a, D-10435'],
    [
      'Kastanienallee 12, 10435 Berlin, Deutschland',
      'Berlin',
      'Kastanienallee 12, 10435',
      'Kastanienallee 12, 10435 Berlin',
    ],
    ['Hauptstr. 5, Frankfurt am Main', 'Frankfurt am Main', 'Hauptstr. 5'],
    ['Straße des 17. Juni 135, 10623 Berlin', 'Berlin', 'Straße des 17. Juni 135, 10623'],
    ['Hauptstraße 12/14 München', 'München', 'Hauptstraße 12/14', 'Hauptstraße 12/14, München'],
    ['Am Markt 1\n28195 Bremen', 'Bremen', 'Am Markt 1, 28195', 'Am Markt 1, 28195 Bremen'],
    ['28195 Bremen', 'Bremen', '28195'],
    [
      'Alter Schlachthof 11; Karlsruhe',
      'Karlsruhe',
      'Alter Schlachthof 11',
      'Alter Schlachthof 11, Karlsruhe',
    ],
  ],
  'in Britain and North America': [
    ['10 Downing Street, London', 'London', '10 Downing Street'],
    ['10 Downing Street, London SW1A 2AA', 'London', '10 Downing Street, London SW1A 2AA'],
    ['10 Downing Street, London, SW1A 2AA', 'London', '10 Downing Street, London, SW1A 2AA'],
    [
      '10 Downing Street, London SW1A 2AA, UK',
      'London',
      '10 Downing Street, London SW1A 2AA',
      '10 Downing Street, London SW1A 2AA',
    ],
    ['Flat 3, 21 High Street, Oxford', 'Oxford', 'Flat 3, 21 High Street'],
    ['123 Main St, Springfield, IL', 'Springfield', '123 Main St, Springfield, IL'],
    ['123 Main St, Springfield, IL 62704', 'Springfield', '123 Main St, Springfield, IL 62704'],
    [
      '123 Main St, Springfield, IL 62704-1234, USA',
      'Springfield',
      '123 Main St, Springfield, IL 62704-1234',
      '123 Main St, Springfield, IL 62704-1234',
    ],
    ['350 5th Ave, New York, NY 10118', 'New York', '350 5th Ave, New York, NY 10118'],
    [
      '290 Bremner Blvd, Toronto, ON M5V 3L9, Canada',
      'Toronto',
      '290 Bremner Blvd, Toronto, ON M5V 3L9',
      '290 Bremner Blvd, Toronto, ON M5V 3L9',
    ],
    ['Springfield, IL, United States', 'Springfield', '', 'Springfield'],
    ['Paris, TX', 'Paris', '', 'Paris'],
  ],
  'in Arabic': [
    ['شارع التحرير 12، القاهرة', 'القاهرة', 'شارع التحرير 12', 'شارع التحرير 12, القاهرة'],
    ['١٢ شارع التحرير، القاهرة، مصر', 'القاهرة', '١٢ شارع التحرير', '١٢ شارع التحرير, القاهرة'],
    ['شارع التحرير ١٢ القاهرة', 'القاهرة', 'شارع التحرير ١٢', 'شارع التحرير ١٢, القاهرة'],
    [
      'طريق الملك فهد، الرياض 12271',
      'الرياض',
      'طريق الملك فهد, الرياض 12271',
      'طريق الملك فهد, الرياض 12271',
    ],
    ['شارع الحمرا، بيروت', 'بيروت', 'شارع الحمرا', 'شارع الحمرا, بيروت'],
  ],
};

for (const [where, rows] of Object.entries(examples)) {
  test(`address: ${where}, the town and the street are understood, and the line has both`, () => {
    for (const [text, town, street, line = text] of rows) {
      const [reading] = readingsOf(text);
      assert.deepEqual([reading?.town, reading?.street, reading?.isGuess], [town, street, false], text);
      assert.equal(addressLine(street, town), line, text);
    }
  });
}

test('address: a text has 160 readings at most, and nothing behind 300 characters is read', () => {
  for (const text of [
    'a,'.repeat(20_000),
    'a '.repeat(20_000),
    `${'1 a, '.repeat(50)}${'b;'.repeat(50_000)}`,
  ])
    assert.ok(readAddress(text, countries).flatMap(({ readings }) => readings).length <= 160);
  assert.equal(readingsOf(`${'a, '.repeat(99)}b, Oslo`)[0]?.town, 'b');
  assert.equal(readingsOf(`${'a,'.repeat(140)} Oslo`)[0]?.town, 'Oslo');
});

test('address: a street without a town has no certain reading', () => {
  for (const text of ['Kastanjegatan 14', '10 Downing Street', 'Hauptstr. 5a', '', ' , ', 'شارع التحرير 12'])
    assert.deepEqual(
      readingsOf(text).filter(({ isGuess }) => !isGuess),
      [],
      text,
    );
});

test('address: of a text without commas, the last words are guesses, the most words first', () => {
  const guesses = (text: string) =>
    readingsOf(text).map(({ town, street, isGuess }) => [town, street, isGuess]);
  assert.deepEqual(guesses('5 Fifth Avenue New York'), [
    ['Avenue New York', '5 Fifth', true],
    ['New York', '5 Fifth Avenue', true],
    ['York', '5 Fifth Avenue New', true],
  ]);
  assert.deepEqual(guesses('Slottsskogen Göteborg'), [
    ['Slottsskogen Göteborg', '', false],
    ['Göteborg', 'Slottsskogen', true],
  ]);
});

test('address: a country or a state behind the town is recognized in the languages of the pages', () => {
  for (const [text, country, region] of [
    ['Oslo, Norway', 'NO', undefined],
    ['Oslo, Norwegen', 'NO', undefined],
    ['Oslo, Norge', 'NO', undefined],
    ['أوسلو، النرويج', 'NO', undefined],
    ['Springfield, IL, United States', 'US', 'IL'],
    ['Springfield, IL', 'US', 'IL'],
    ['Oslo', undefined, undefined],
  ] as const)
    assert.deepEqual(
      [
        (readAddress(text, countries)[0] as { country?: string; region?: string })?.country,
        (readAddress(text, countries)[0] as { country?: string; region?: string })?.region,
      ],
      [country, region],
      text,
    );
});

test('address: the line names the town once, and a street that is called like it is not the town', () => {
  for (const [street, town, line] of [
    ['Oslo gate 5', 'Oslo', 'Oslo gate 5, Oslo'],
    ['Göteborgsvägen 5', 'Göteborg', 'Göteborgsvägen 5, Göteborg'],
    ['Stora torget, Göteborg', 'Göteborg', 'Stora torget, Göteborg'],
    ['Stora torget goteborg', 'Göteborg', 'Stora torget goteborg'],
    ['Flat 3, 21 Oslo gate', 'Oslo', 'Flat 3, 21 Oslo gate, Oslo'],
    ['12 Main St', 'Springfield, IL', '12 Main St, Springfield, IL'],
    ['12 Main St, Springfield, IL 62704', 'Springfield, IL', '12 Main St, Springfield, IL 62704'],
    ['Oslo', 'Oslo', 'Oslo, Oslo'],
    ['', 'Oslo', 'Oslo'],
    ['Kastanjegatan 14', '', 'Kastanjegatan 14'],
  ] as const)
    assert.equal(addressLine(street, town), line, `${street} | ${town}`);
});

test('address: the town in the address of an event', async () => {
  for (const [address, town] of [
    ['Kastanjegatan 14, Mölndal', 'Mölndal'],
    ['Aker Brygge, Oslo', 'Oslo'],
    ['Götgatan 5, 411 05 Göteborg', 'Göteborg'],
    ['10 Downing Street, London SW1A 2AA', 'London'],
    ['Am Markt 1; Bremen', 'Bremen'],
    ['Oslo, Norway', 'Oslo'],
    ['Kastanjegatan 14', ''],
    ['Slottsskogen', ''],
  ] as const)
    assert.equal(await townIn(address), town, address);
});

test('address: a text in a chosen place is the place alone, or the street with its town', () => {
  const place = { label: 'Oslo, Norway', town: 'Oslo', lat: 59.91, lng: 10.75, timeZone: 'Europe/Oslo' };
  for (const [text, street, address, isWhole] of [
    ['Oslo, Norway', '', 'Oslo, Norway', true],
    ['oslo', '', 'Oslo, Norway', false],
    ['Aker Brygge, Oslo', 'Aker Brygge', 'Aker Brygge, Oslo', true],
    ['Oslo gate 5', 'Oslo gate 5', 'Oslo gate 5, Oslo', false],
    ['Barcode 1, Bergen', 'Barcode 1, Bergen', 'Barcode 1, Bergen, Oslo', false],
  ] as const) {
    assert.equal(addressIn(street, place), address, text);
    assert.equal(isAddressIn(text, place), isWhole, text);
  }
});

test('chosen place: null for a text that is longer than the longest place', () => {
  const place = { label: 'Oslo, Norway', town: 'Oslo', lat: 59.91, lng: 10.75, timeZone: 'Europe/Oslo' };
  assert.ok(parseChosen(JSON.stringify(place)));
  assert.equal(parseChosen(JSON.stringify({ ...place, town: ','.repeat(3_000) })), null);
});

test('short address: the venue and the town, without street, postal code, region and country', () => {
  const rows: [address: string, venue: string, town: string][] = [
    ['Mariaplan 4, 414 78 Göteborg', 'Mariaplan 4', 'Göteborg'],
    ['Botaniska trädgården, Carl Skottsbergs gata 22A, 413 19 Göteborg', 'Botaniska trädgården', 'Göteborg'],
    ['Götgatan 5, SE-411 05 Göteborg, Sverige', 'Götgatan 5', 'Göteborg'],
    ['Town Hall, 12 Main Street, Springfield, IL 62704', 'Town Hall', 'Springfield'],
    ['10 Downing Street, London SW1A 2AA', '10 Downing Street', 'London'],
    ['Aker Brygge, Oslo', 'Aker Brygge', 'Oslo'],
    ['Bergen', 'Bergen', ''],
    ['', '', ''],
  ];
  for (const [address, venue, town] of rows)
    assert.deepEqual(shortAddress(address), { venue, town }, address);
});

test('common town: the town that most events name, if none is far from it', () => {
  const at = (address: string, lat = 57.7) => ({ address, lat, lng: 11.97 });
  const [market, park] = [at('Mariaplan 4, 414 78 Göteborg'), at('Slottsskogen, Göteborg')];
  assert.equal(
    commonTown([at('Kvarnbyn, 431 34 Mölndal', 57.65), market, park, at('Saltholmen')]),
    'Göteborg',
  );
  assert.equal(commonTown([market, park, at('Aker Brygge, Oslo', 59.9)]), '');
  assert.equal(commonTown([at('Bergen')]), '');
  assert.equal(commonTown([]), '');
});
