/** GET /v1/places, compared with a plain search over the file of cities. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readCities } from '../../src/modules/places/cities.ts';
import { randomOf } from '../support/random.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();

type Place = {
  name: string;
  country: string;
  region?: string;
  lat: number;
  lng: number;
  population: number;
  timeZone: string;
  distanceKm?: number;
  isWholeName: boolean;
  address?: { street: string; town: string };
};

async function search(query: Record<string, string | number>): Promise<Place[]> {
  const parameters = Object.entries(query).map(([name, value]) => [name, `${value}`]);
  const { body } = expectStatus(await api.get(`/v1/places?${new URLSearchParams(parameters)}`), 200);
  assert.equal(body.attribution, 'GeoNames (https://www.geonames.org), CC BY 4.0');
  assert.deepEqual(body.source, { names: '2026-09-26', populations: '2023-03-05' });
  return body.data;
}
const names = (places: Place[]) => places.map(({ name }) => name);

// spec: 4.9 GET /v1/places: towns and cities by name
test('places: 200 with every field; several first searches share one load', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => search({ q: 'oslo', limit: 1 })));
  for (const found of all) {
    assert.deepEqual(found, [
      {
        name: 'Oslo',
        country: 'NO',
        lat: 59.91273,
        lng: 10.74609,
        population: 580_000,
        timeZone: 'Europe/Oslo',
        isWholeName: true,
      },
    ]);
  }
  const [near] = await search({ q: 'oslo', near: '60,10', limit: 1 });
  assert.ok(Math.abs((near?.distanceKm ?? 0) - 42.7) < 0.1, `${near?.distanceKm}`);
  const springfields = await search({ q: 'springfield', limit: 50 });
  assert.ok(springfields.some(({ country, region }) => country === 'US' && region === 'IL'));
});

// spec: 4.9 GET /v1/places: towns and cities by name
test('places: case, accents, umlauts, punctuation and other languages do not matter', async () => {
  for (const [q, name] of [
    ['ZÜRICH', 'Zürich'],
    ['zurich', 'Zürich'],
    ['zuerich', 'Zürich'],
    ['sao paul', 'São Paulo'],
    ['lodz', 'Łódź'],
    ['são', 'São Paulo'],
    ['st louis', 'St. Louis'],
    ['saint-den', 'Saint-Denis'],
    ['l’haÿ les', "L'Haÿ-les-Roses"],
    ['münchen', 'Munich'],
    ['wien', 'Vienna'],
    ['göteborg', 'Gothenburg'],
    ['Köpenhamn', 'Copenhagen'],
    ['القاهرة', 'Cairo'],
    ['哥德堡', 'Gothenburg'],
    ['lund', 'Lund'],
    ['praga', 'Prague'],
  ] as const) {
    assert.equal((await search({ q }))[0]?.name, name, q);
  }
});

// spec: 4.9 GET /v1/places: towns and cities by name
test('places: a renamed city is found by its name and its former one, and by the start of either', async () => {
  for (const [name, country, ...texts] of [
    ['Astana', 'KZ', 'astana', 'Nur-Sultan'],
    ['Gqeberha', 'ZA', 'gqeberha', 'gqe', 'Port Elizabeth', 'port eliz'],
    ['Mbombela', 'ZA', 'mbombela', 'nelspr'],
    ['Prayagraj', 'IN', 'prayagraj', 'allahab'],
  ] as const) {
    for (const q of texts) {
      const [place] = await search({ q, limit: 1 });
      assert.deepEqual([place?.name, place?.country], [name, country], q);
    }
  }
});

test('places: a city is listed once, without villages of unknown size in the same country with its name', async () => {
  for (const [name, country] of [
    ['Hanoi', 'VN'],
    ['Shenzhen', 'CN'],
  ] as const) {
    const found = await search({ q: name, limit: 50 });
    assert.equal(found.filter((place) => place.name === name && place.country === country).length, 1, name);
  }
});

// spec: 4.9 GET /v1/places: towns and cities by name
test('places: the start of a later word matches; a whole name comes before larger places; near places first with near', async () => {
  assert.deepEqual(names(await search({ q: 'york', limit: 2 })), ['York', 'New York City']);
  assert.equal(
    (await search({ q: 'as', limit: 50 })).some(({ name, country }) => name === 'Ås' && country === 'NO'),
    true,
  );
  assert.equal((await search({ q: 'paris' }))[0]?.country, 'FR');
  const [texan] = await search({ q: 'paris', near: '32.78,-96.8' });
  assert.deepEqual([texan?.country, texan?.region], ['US', 'TX']);
  // London is Lunnainn, and Toronto was York.
  assert.ok(!names(await search({ q: 'lun', limit: 5 })).includes('London'));
  assert.ok(names(await search({ q: 'lunnai' })).includes('London'));
  assert.deepEqual(await search({ q: 'xqzw' }), []);
  assert.deepEqual(await search({ q: '!?' }), []);
});

// spec: 4.9 GET /v1/places: towns and cities by name
test('places: 10 by default, at most 50; 400 naming q, near or limit', async () => {
  assert.equal((await search({ q: 's' })).length, 10);
  assert.equal((await search({ q: 's', limit: 50 })).length, 50);
  for (const [query, field] of [
    ['', 'q'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    [`q=${'x'.repeat(301)}`, 'q'],
    ['q=a&near=1', 'near'],
    ['q=a&near=91,0', 'near'],
    ['q=a&near=0,181', 'near'],
    ['q=a&near=0,0,0', 'near'],
    ['q=a&limit=0', 'limit'],
    ['q=a&limit=51', 'limit'],
    ['q=a&page=2', 'page'],
  ] as const) {
    const { body } = expectProblem(await api.get(`/v1/places?${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      [field],
      query,
    );
  }
});

// spec: 4.9 GET /v1/places: the town in an address
test('places: the town in an address, with the street; a text that starts the name of a place is none', async () => {
  const first = async (q: string) => {
    const [place] = await search({ q, limit: 1 });
    return place && [place.name, place.country, place.isWholeName, place.address];
  };
  for (const [q, ...expected] of [
    [
      'Götgatan 5, 411 05 Göteborg',
      'Gothenburg',
      'SE',
      true,
      { street: 'Götgatan 5, 411 05', town: 'Göteborg' },
    ],
    ['Götgatan 5, Göte', 'Gothenburg', 'SE', false, { street: 'Götgatan 5', town: 'Göte' }],
    [
      '123 Main St, Springfield, IL 62704',
      'Springfield',
      'US',
      true,
      { street: '123 Main St, Springfield, IL 62704', town: 'Springfield' },
    ],
    ['Aker Brygge, Oslo, Norge', 'Oslo', 'NO', true, { street: 'Aker Brygge', town: 'Oslo' }],
    ['Town hall\nGothenburg', 'Gothenburg', 'SE', true, { street: 'Town hall', town: 'Gothenburg' }],
    ['東京都渋谷区渋谷2-21-1', 'Tokyo', 'JP', true, { street: '', town: '渋谷' }],
    ['gothenburg', 'Gothenburg', 'SE', true, undefined],
    ['goth', 'Gothenburg', 'SE', false, undefined],
  ] as const)
    assert.deepEqual((await first(q))?.slice(0, 3), expected.slice(0, 3), q);
  assert.deepEqual((await first('Götgatan 5, 411 05 Göteborg'))?.[3], {
    street: 'Götgatan 5, 411 05',
    town: 'Göteborg',
  });
  assert.deepEqual((await first('Town hall\nGothenburg'))?.[3], { street: 'Town hall', town: 'Gothenburg' });
  assert.equal((await first('gothenburg'))?.[3], undefined);
  assert.equal(await first('Kastanjegatan 14'), undefined);
});

/** Without marks; the sampled names have no other letters that Potluck folds. */
const foldPlain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const { cities } = readCities();
const labelOf = ({ name, country, region }: (typeof cities)[number]) => [name, country, region].join();
const known = new Set(cities.filter(({ population }) => population > 0).map(labelOf));
const plain = cities
  .filter(({ name }) => /^[a-z ]+$/i.test(foldPlain(name)) && !/[äöüøåæ]/i.test(name))
  // A former name is a whole name, too.
  .filter(({ formerNames }) => formerNames.length === 0)
  // Villages of unknown size with the label of a known place are not listed.
  .filter((city) => city.population > 0 || !known.has(labelOf(city)))
  .map(({ name, population, lat, lng }) => ({
    name,
    folded: foldPlain(name),
    population,
    loc: [lng, lat] as const,
  }));

function distanceKm(
  [lng1, lat1]: readonly [number, number],
  [lng2, lat2]: readonly [number, number],
): number {
  const radians = Math.PI / 180;
  const haversine =
    Math.sin(((lat2 - lat1) * radians) / 2) ** 2 +
    Math.cos(lat1 * radians) * Math.cos(lat2 * radians) * Math.sin(((lng2 - lng1) * radians) / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

test('places: the same scores as a plain search, for 100 random starts of names', async () => {
  const { pick, below, next } = randomOf(20_261_124);
  const isPlain = new Set(plain.map(({ name, population }) => `${name} ${population}`));
  for (let i = 0; i < 100; i++) {
    const words = pick(plain).folded.split(' ');
    const q = words
      .slice(below(words.length))
      .join(' ')
      .slice(0, 1 + below(6))
      .trimEnd();
    const centre = next() < 0.5 ? pick(plain).loc : null;
    const score = ({
      folded,
      population,
      loc,
    }: Pick<(typeof plain)[number], 'folded' | 'population' | 'loc'>) =>
      (Math.max(population, 1) * (folded === q ? 100 : 1)) /
      (centre ? (1 + distanceKm(centre, loc) / 50) ** 2 : 1);
    const expected = plain
      .filter(({ folded }) => ` ${folded}`.includes(` ${q}`))
      .map(score)
      .sort((a, b) => b - a);
    const found = await search({ q, limit: 50, ...(centre && { near: `${centre[1]},${centre[0]}` }) });
    // Names with other letters may be among the results. The plain ones are the best of the plain list.
    const actual = found
      .filter(({ name, population }) => isPlain.has(`${name} ${population}`))
      .filter(({ name }) => ` ${foldPlain(name)}`.includes(` ${q}`))
      .map(({ name, population, lat, lng }) =>
        score({ folded: foldPlain(name), population, loc: [lng, lat] }),
      );
    assert.ok(actual.length >= Math.min(expected.length, 5), `${q}: ${actual.length} of ${expected.length}`);
    for (const [n, value] of actual.entries())
      assert.ok(Math.abs(value / (expected[n] ?? 0) - 1) < 1e-3, `${q} ${n}: ${value}, ${expected[n]}`);
  }
});
