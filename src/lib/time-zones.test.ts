import assert from 'node:assert/strict';
import test from 'node:test';
import lookUpZone from '@photostructure/tz-lookup';
import {
  dateIn,
  isStartOfDay,
  isTimeZone,
  knownZone,
  startOfDate,
  timeZoneAt,
  zoneAfterMove,
} from './time-zones.ts';

test('timeZoneAt: the zone of places on every continent and at sea', () => {
  const places: [lat: number, lng: number, zone: string][] = [
    [57.7069, 11.9386, 'Europe/Stockholm'],
    [59.9106, 10.7291, 'Europe/Oslo'],
    [51.5074, -0.1278, 'Europe/London'],
    [40.7128, -74.006, 'America/New_York'],
    [33.4484, -112.074, 'America/Phoenix'],
    [-34.6037, -58.3816, 'America/Argentina/Buenos_Aires'],
    [27.7172, 85.324, 'Asia/Kathmandu'],
    [19.076, 72.8777, 'Asia/Kolkata'],
    [-27.4698, 153.0251, 'Australia/Brisbane'],
    [-13.8333, -171.7667, 'Pacific/Apia'],
    [0, 0, 'Etc/GMT'],
  ];
  for (const [lat, lng, zone] of places) assert.equal(timeZoneAt({ lat, lng }), zone);
});

test('timeZoneAt: Intl knows every zone of the map, including the poles and the antimeridian', () => {
  const zones = new Set<string>();
  for (let lat = -90; lat <= 90; lat += 0.5) {
    for (let lng = -180; lng <= 180; lng += 0.5) zones.add(lookUpZone(lat, lng));
  }
  assert.ok(zones.size > 400, `${zones.size}`);
  assert.deepEqual(
    [...zones].filter((zone) => !isTimeZone(zone)),
    [],
  );
});

test('isTimeZone: aliases are names; offsets, and abbreviations for which Temporal has no dates, are not', () => {
  for (const name of ['Europe/Oslo', 'UTC', 'US/Pacific', 'Asia/Calcutta', 'EST5EDT'])
    assert.ok(isTimeZone(name), name);
  for (const name of ['PST', 'IST', '+02:00', 'Mars/Olympus', '']) assert.ok(!isTimeZone(name), name);
  for (const name of Intl.supportedValuesOf('timeZone')) assert.ok(isTimeZone(name), name);
  assert.equal(`${dateIn(new Date(0), knownZone('PST'))}`, '1970-01-01');
});

test('startOfDate: the first instant of a day, also if a clock change skips or repeats midnight', () => {
  const days: [date: string, zone: string, start: string][] = [
    ['2027-03-05', 'Europe/Oslo', '2027-03-04T23:00:00Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00Z'],
    // 01:00 is followed by a second 00:00.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00Z'],
    ['1899-12-31', 'Asia/Tokyo', '1899-12-30T15:00:00Z'],
    // A zone that this machine does not know is read as UTC.
    ['2027-03-05', 'Mars/Olympus', '2027-03-05T00:00:00Z'],
  ];
  for (const [date, zone, start] of days) {
    const at = startOfDate(Temporal.PlainDate.from(date), zone);
    assert.equal(at.getTime(), Date.parse(start), `${date} ${zone}`);
    assert.equal(dateIn(at, zone).toString(), date);
    assert.ok(isStartOfDay(at, zone));
    for (const offset of [-1, 1, 3_600_000])
      assert.ok(!isStartOfDay(new Date(at.getTime() + offset), zone), `${date} ${zone} ${offset}`);
  }
});

test('zoneAfterMove: a derived zone follows the place, a chosen zone does not change', () => {
  const [oslo, london] = [
    { lat: 59.9106, lng: 10.7291 },
    { lat: 51.5074, lng: -0.1278 },
  ];
  assert.equal(zoneAfterMove({ ...oslo, timezone: 'Europe/Oslo' }, london), 'Europe/London');
  assert.equal(zoneAfterMove({ ...oslo, timezone: 'Asia/Tokyo' }, london), 'Asia/Tokyo');
  assert.equal(zoneAfterMove({ ...oslo, timezone: 'UTC' }, london), 'UTC');
});
