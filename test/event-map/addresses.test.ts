/** The reading of addresses, against an atlas (test/data/addresses.ts). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { distanceKm } from '#record-index';
import { loadCountryNames } from '../../src/modules/places/address/country-names.ts';
import { AddressFinder } from '../../src/modules/places/address/find-address.ts';
import { loadGazetteer } from '../../src/modules/places/load-gazetteer.ts';
import { addresses, doubtfulAddresses } from '../data/addresses.ts';

const finder = new AddressFinder(await loadGazetteer(), await loadCountryNames());
const find = (text: string, zone?: string) =>
  finder.find(text, { zone: zone ? { names: [zone] } : null, near: null });

/** The atlas has the centre of a town, which may be in another part of it. */
const maxKm = 15;

test('address: of 120 addresses of 50 countries, 110 are found, and none in another town', () => {
  const rows = Object.entries(addresses).flatMap(([country, all]) => all.map((row) => ({ country, row })));
  assert.ok(rows.length >= 120 && Object.keys(addresses).length >= 50);
  const doubtful: string[] = [];
  const wrong: string[] = [];
  for (const {
    row: [address, lat, lng, zone],
  } of rows) {
    const { place } = find(address, zone);
    if (!place) doubtful.push(address);
    else if (distanceKm(place, { lat, lng }) > maxKm)
      wrong.push(`${address}: ${place.name}, ${place.country}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(doubtful.length <= 10, doubtful.join('\n'));
  assert.ok(rows.length - doubtful.length >= 110);
  if (process.env.PRINT) console.log(rows.length, Object.keys(addresses).length, doubtful);
});

test('address: a text without a town, or with namesakes among which nothing decides, gives no place', () => {
  const found = doubtfulAddresses.flatMap(([text, zone]) => {
    const { place } = find(text, zone);
    return place ? [`${text}: ${place.name}, ${place.country}`] : [];
  });
  assert.deepEqual(found, []);
});
