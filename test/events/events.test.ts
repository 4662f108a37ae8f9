import assert from 'node:assert/strict';
import test from 'node:test';
import { initialValues } from '../operations/event-fields.ts';
import { createEvent, createUser, eventBody, inDays } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api, { name: 'Olga Organizer' });
const stranger = await createUser(api);

const create = (overrides: Record<string, unknown>) =>
  api.post('/v1/events', organizer.token, eventBody(overrides));

/** Expects a 400 that names only the field, for each value. */
async function expectRefused(field: string, values: unknown[], path = field): Promise<void> {
  for (const value of values) {
    const { body } = expectProblem(await create({ [field]: value }), 400, 'invalid_request');
    const paths = body.errors.map((error: { path: string }) => error.path);
    assert.deepEqual(paths, [path], `${field} ${JSON.stringify(value)?.slice(0, 80)}`);
  }
}

/** Expects a 201 for each value, and the stored value to be equal. */
async function expectStored(field: string, values: unknown[]): Promise<void> {
  for (const value of values) {
    const { body } = expectStatus(await create({ [field]: value }), 201);
    assert.deepEqual(body[field], value);
    assert.deepEqual((await api.get(`/v1/events/${body.id}`)).body[field], value);
  }
}

// spec: 2.5 GET /v1/events/:id: the fields of 2.4; `organizer`; `bookedCount`
// spec: 2.5 GET /v1/events/:id: `template`; `enabledModules`; `myBooking`
test('create: 201 with Location, the defaults and every field of the record', async () => {
  const startAt = '2030-12-24T18:00:00+02:00';
  const { body, headers } = expectStatus(await create({ startAt, endAt: '2030-12-24T20:00:00Z' }), 201);
  assert.equal(headers.get('location'), `/v1/events/${body.id}`);
  const { createdAt, updatedAt, ...rest } = body;
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  assert.equal(updatedAt, createdAt);
  assert.deepEqual(rest, {
    id: body.id,
    ...initialValues(),
    title: 'Harbour potluck',
    coverUrl: `http://127.0.0.1:0/v1/events/${body.id}/cover.svg?category=food`,
    startAt: '2030-12-24T16:00:00.000Z',
    endAt: '2030-12-24T20:00:00.000Z',
    timezone: 'Europe/Oslo',
    location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291, isExact: true },
    category: { slug: 'food', name: 'Food & drink', emoji: '🍲' },
    hasOnlineUrl: false,
    series: null,
    isAddressHidden: false,
    rsvpCount: 0,
    goingCount: 0,
    partyCount: 0,
    myRsvp: null,
    isSaved: false,
    status: 'scheduled',
    organizer: {
      id: organizer.id,
      name: 'Olga Organizer',
      avatar: `http://127.0.0.1:0/v1/users/${organizer.id}/avatar.svg`,
    },
    bookedCount: 0,
    myBooking: null,
    myWaitlist: null,
    myExtraGuests: 0,
    isRsvpHidden: false,
    myRequest: null,
    myInvitation: null,
    hidden: null,
  });
  assert.deepEqual(expectStatus(await api.get(`/v1/events/${body.id}`, organizer.token), 200).body, body);
});

// spec: 2.4 POST /v1/events: creating an event
test('create: 201 with every optional field as in the request', async () => {
  const sent = {
    description: 'Line one\nline two 🥘',
    coverUrl: 'https://example.org/cover.jpg?size=large',
    timezone: 'Europe/Stockholm',
    price: 19.99,
    isPriceKnown: true,
    currency: 'NOK',
    capacity: 40,
    visibility: 'unlisted',
    enabledModules: ['wishList'],
    guestListVisibility: 'guests',
    claimantVisibility: 'everyone',
  };
  const { body } = expectStatus(await create({ ...sent, template: 'potluck' }), 201);
  const { body: read } = expectStatus(await api.get(`/v1/events/${body.id}`, organizer.token), 200);
  assert.deepEqual(read, body);
  for (const [field, value] of Object.entries(sent)) assert.deepEqual(read[field], value, field);
  assert.deepEqual(read.template, { slug: 'potluck', name: 'Potluck dinner' });
});

// spec: 2.4 POST /v1/events: creating an event
test('create: 400 for each missing required field, and for unknown fields', async () => {
  for (const field of ['title', 'startAt', 'endAt', 'location', 'category'])
    await expectRefused(field, [undefined]);
  await expectRefused('status', ['cancelled']);
  await expectRefused('organizerId', [stranger.id]);
  expectProblem(await api.post('/v1/events', undefined, eventBody()), 401, 'token_missing');
});

// spec: 2.4 GET /v1/events: `title`
test('create: title has 1 to 140 characters on one line, with at least one visible character', async () => {
  await expectStored('title', ['x', 'é'.repeat(140), '🎉'.repeat(140), ' a ']);
  await expectRefused('title', [
    '',
    'x'.repeat(141),
    '   ',
    '\t',
    '\u3000\u00a0',
    '\u200b',
    'a\nb',
    'a\0b',
    '\ud83c',
    7,
    null,
  ]);
});

// spec: 2.4 GET /v1/events: `description`
test('create: description has at most 10,000 characters and may contain line breaks', async () => {
  await expectStored('description', ['', ' \n\t', '🥘'.repeat(10_000)]);
  await expectRefused('description', ['x'.repeat(10_001), null, 1, 'a\0b']);
});

// spec: 2.4 GET /v1/events: `location`
test('create: location has an address of 1 to 300 characters and valid coordinates', async () => {
  const valid = { address: 'Here', lat: 0, lng: 0, isExact: true };
  await expectStored('location', [
    { ...valid, address: 'x'.repeat(300) },
    { ...valid, lat: 90, lng: 180 },
    { ...valid, lat: -90, lng: -180 },
    { ...valid, lat: 1.23456789012345, lng: -0.1 },
    { ...valid, isExact: false },
  ]);
  await expectRefused(
    'location',
    [
      { ...valid, address: '' },
      { ...valid, address: 'x'.repeat(301) },
      { ...valid, address: ' ' },
    ],
    'location.address',
  );
  await expectRefused(
    'location',
    [
      { ...valid, lat: 90.000001 },
      { ...valid, lat: -91 },
      { ...valid, lat: '1' },
      { ...valid, lat: null },
    ],
    'location.lat',
  );
  await expectRefused(
    'location',
    [
      { ...valid, lng: 180.1 },
      { ...valid, lng: -181 },
      { address: 'x', lat: 1 },
    ],
    'location.lng',
  );
  await expectRefused(
    'location',
    [
      { ...valid, isExact: null },
      { ...valid, isExact: 'no' },
    ],
    'location.isExact',
  );
  await expectRefused('location', [{ ...valid, city: 'Oslo' }], 'location.city');
  await expectRefused('location', [null, 'Oslo', []]);
});

// spec: 2.4 GET /v1/events: `coverUrl`
test('create: coverUrl is an HTTP(S) URL of at most 2,048 characters, or null for the generated cover', async () => {
  const longest = `https://example.org/${'x'.repeat(2048 - 20)}`;
  await expectStored('coverUrl', [
    'http://example.org',
    longest,
    'HTTPS://EXAMPLE.org/a%20b?c#d',
    'https://例え.jp/画像.png',
  ]);
  const { body } = expectStatus(await create({ coverUrl: null }), 201);
  assert.match(body.coverUrl, /\/cover\.svg/);
  await expectRefused('coverUrl', [
    `${longest}x`,
    'ftp://example.org/x',
    'javascript:alert(1)',
    'data:image/png;base64,AA==',
    '//example.org/x',
    '/x.png',
    'https://',
    'https://a b',
    '',
    1,
    `https://${'ab.'.repeat(84)}de`,
    `https://${'a'.repeat(64)}.example`,
  ]);
});

// spec: 2.4 GET /v1/events: `price`
test('create: price is 0 to 1,000,000,000 with at most two decimals', async () => {
  await expectStored('price', [0, 0.01, 0.07, 0.3, 1.1, 19.99, 4.35, 999_999_999.99, 1_000_000_000]);
  const tooLarge = [1_000_000_000.01, 1e12, 1e300];
  await expectRefused('price', [-0.01, ...tooLarge, 0.1 + 0.2, 1e-7, 0.001, 19.999, '5', null, true]);
});

test('create: currency is ISO 4217', async () => {
  await expectStored('currency', ['USD', 'JPY', 'KES']);
  await expectRefused('currency', ['eur', 'ZZZ', 'EURO', '', '€', null]);
});

// spec: 2.4 GET /v1/events: `capacity`
test('create: capacity is an integer from 0 to 1,000,000', async () => {
  await expectStored('capacity', [0, 1, 1_000_000]);
  await expectRefused('capacity', [-1, 1.5, 1_000_001, 1e12, '10', null, true]);
});

test('create, change: a timezone is stored in the spelling of the IANA database; aliases stay', async () => {
  for (const [sent, stored] of [
    ['europe/berlin', 'Europe/Berlin'],
    ['us/pacific', 'US/Pacific'],
    ['utc', 'UTC'],
    ['AMERICA/PORT-AU-PRINCE', 'America/Port-au-Prince'],
  ]) {
    const { id, timezone } = await createEvent(api, organizer, { timezone: sent });
    assert.equal(timezone, stored);
    await api.patch(`/v1/events/${id}`, organizer.token, { timezone: 'Asia/Tokyo' });
    const changed = await api.patch(`/v1/events/${id}`, organizer.token, { timezone: sent });
    assert.equal(expectStatus(changed, 200).body.timezone, stored);
    assert.equal((await api.get(`/v1/events/${id}`)).body.timezone, stored);
  }
});

test('create: timezone is an IANA name', async () => {
  await expectStored('timezone', ['Europe/Oslo', 'UTC', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata']);
  await expectRefused('timezone', [
    'Mars/Olympus',
    'PST',
    '+02:00',
    '',
    'Europe/Oslo ',
    'x'.repeat(65),
    null,
  ]);
});

// spec: 2.4 GET /v1/events: `category`
test('create: 400 for an unknown category, template, visibility or module', async () => {
  await expectRefused('category', ['nonsense', '', 'Food', null, { slug: 'food' }]);
  await expectRefused('template', ['nonsense', null]);
  await expectRefused('visibility', ['friends', 'Public', null]);
  await expectRefused('enabledModules', [['karaoke']], 'enabledModules.0');
  await expectRefused('enabledModules', [['bringList', 'bringList'], 'bringList', null]);
  await expectStored('enabledModules', [[], ['bringList'], ['booking', 'wishList', 'bringList']]);
  await expectStored('visibility', ['public', 'unlisted']);
});

// spec: 2.4 GET /v1/events: `startAt`
test('create: 201 for any RFC 3339 offset, past dates, and the years 1900 to 9999', async () => {
  for (const [startAt, endAt, start, end] of [
    [
      '2026-12-24T18:00:00+05:45',
      '2026-12-24T18:00:00-11:00',
      '2026-12-24T12:15:00.000Z',
      '2026-12-25T05:00:00.000Z',
    ],
    [
      '1999-12-31t23:59:59z',
      '2000-01-01T00:00:00.001Z',
      '1999-12-31T23:59:59.000Z',
      '2000-01-01T00:00:00.001Z',
    ],
    ['1900-01-01T00:00:00Z', '1900-01-02T00:00:00Z', '1900-01-01T00:00:00.000Z', '1900-01-02T00:00:00.000Z'],
    // In UTC, this is in 1900.
    [
      '1899-12-31T23:30:00-01:00',
      '1900-01-02T00:00:00Z',
      '1900-01-01T00:30:00.000Z',
      '1900-01-02T00:00:00.000Z',
    ],
    [
      '9999-12-31T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '9999-12-31T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ],
  ] as const) {
    const { body } = expectStatus(await create({ startAt, endAt }), 201);
    const { body: read } = await api.get(`/v1/events/${body.id}`);
    assert.deepEqual([read.startAt, read.endAt], [start, end]);
  }
  await expectRefused('startAt', [
    '2026-12-24',
    '2026-12-24T18:00:00',
    '2026-02-30T10:00:00Z',
    '1899-12-31T23:59:59Z',
    'tomorrow',
    1_800_000_000,
    null,
  ]);
});

// spec: 2.4 GET /v1/events: `endAt`
test('create: 400 naming endAt unless the event ends after it starts', async () => {
  const startAt = inDays(3);
  await expectRefused('endAt', ['not a time']);
  for (const endAt of [startAt, inDays(2), '2020-01-01T00:00:00Z']) {
    const { body } = expectProblem(await create({ startAt, endAt }), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['endAt'],
    );
  }
  // The same instant with two offsets.
  const response = await create({ startAt: '2030-01-01T12:00:00+02:00', endAt: '2030-01-01T10:00:00Z' });
  assert.equal(expectProblem(response, 400, 'invalid_request').body.errors[0].path, 'endAt');
});

test('create: 400 for texts and lists far above their limits, with at most 20 errors', async () => {
  for (const overrides of [
    { title: `${'a'.repeat(500_000)}\n` },
    { title: `${' '.repeat(500_000)}\n` },
    { location: { address: `${'a '.repeat(250_000)}\t`, lat: 0, lng: 0 } },
    { enabledModules: Array.from({ length: 100_000 }, (_, i) => `${i}`) },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`unknown${i}`, i])),
  ]) {
    const { body } = expectProblem(await create(overrides), 400, 'invalid_request');
    assert.ok(body.errors.length <= 20);
  }
});
