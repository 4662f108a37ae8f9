/** Previews of links: every event has one, with any title and cover, after uploads as well. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { isVisibleLine } from '../../src/lib/text.ts';
import { often, sampleOf } from '../support/all-cases.ts';
import { createEvent, createUpload, createUser } from '../support/factories.ts';
import { hostileImages } from '../support/hostile-images.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { upload } from '../support/upload-helpers.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);

const open = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}/e/${id}/preview.png`, { headers });

/** Expects an image, and returns its pixels. */
async function pixelsOf(response: Response): Promise<Buffer> {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  const image = sharp(Buffer.from(await response.arrayBuffer())).removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height, info.channels], [1200, 630, 3]);
  return data;
}

/** The colour at the top left: of the cover. */
const corner = (pixels: Buffer) => [...pixels.subarray(0, 3)];

async function expectPreview(title: string, event: object = {}): Promise<void> {
  const { id } = await createEvent(api, organizer, { title, ...event });
  const response = await open(id);
  assert.equal(response.status, 200, `${JSON.stringify(title)}: ${response.status}`);
  await pixelsOf(response);
}

test('preview: 200 before and after uploads, which refuse the same images', async () => {
  const { id } = await createEvent(api, organizer);
  const { id: another } = await createEvent(api, organizer);
  await pixelsOf(await open(id));
  const person = await createUser(api);
  await createUpload(api, person);
  for (const { name, type, bytes } of await hostileImages()) {
    const { status } = await upload(api, person, bytes, type);
    assert.equal(status, 400, name);
  }
  await pixelsOf(await open(another));
  await createUpload(api, person);
});

test('preview: 200 with the uploaded cover, and with the drawn cover once the upload is deleted', async () => {
  const red = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer();
  const { body } = expectStatus(await upload(api, organizer, red), 201);
  const { id } = await createEvent(api, organizer, { coverUrl: body.url });
  const [r = 0, g = 0, b = 0] = corner(await pixelsOf(await open(id)));
  assert.ok(r > 240 && g < 16 && b < 16, String([r, g, b]));
  const { id: another } = await createEvent(api, organizer, { coverUrl: body.url });
  expectStatus(await api.delete(`/v1/uploads/${body.id}`, organizer.token), 200);
  await expectDrawnCover(another);
});

test('preview: the drawn cover, which changes with its theme and category', async () => {
  const { id } = await createEvent(api, organizer);
  const etags = new Set<string | null>();
  for (const change of [{}, { coverTheme: 'moon' }, { coverTheme: 'citrus' }, { category: 'music' }]) {
    expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, change), 200);
    etags.add(await expectDrawnCover(id));
  }
  assert.equal(etags.size, 4);
});

/** Expects that the left part of the preview has the ground of the generated cover. @returns the ETag of the preview */
async function expectDrawnCover(id: string): Promise<string | null> {
  const response = await open(id);
  const pixels = await pixelsOf(response);
  const { body: event } = await api.get(`/v1/events/${id}`, organizer.token);
  const { coverTheme: theme, category } = event;
  const query = new URLSearchParams({ category: category.slug, ...(theme && { theme }) });
  const { body: cover } = await api.get(`/v1/events/${id}/cover.svg?${query}`);
  const [, ground = ''] = /<rect width="1200" height="630" fill="#([0-9a-f]{6})"/.exec(cover) ?? [];
  const expected = Buffer.from(ground, 'hex');
  assert.equal(expected.length, 3);
  let found = 0;
  for (let y = 0; y < 630; y += 7)
    for (let x = 0; x < 540; x += 6) {
      const start = 3 * (1200 * y + x);
      // The image has a palette.
      if (expected.every((value, channel) => Math.abs((pixels[start + channel] ?? 0) - value) < 16)) found++;
    }
  assert.ok(found > 0.05 * 90 * 90, `${found} pixels of ${ground}`);
  return response.headers.get('etag');
}

test('preview: the picture is at the start of the line, on the right in Arabic', async () => {
  const red = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer();
  const { body } = expectStatus(await upload(api, organizer, red), 201);
  const { id } = await createEvent(api, organizer, { coverUrl: body.url });
  const isRed = ([r = 0, g = 0, b = 0]: Buffer) => r > 240 && g < 16 && b < 16;
  for (const [language, expected] of [
    ['en', [true, false]],
    ['ar', [false, true]],
  ] as const) {
    const pixels = await pixelsOf(await open(id, { cookie: `language=${language}` }));
    const ends = [pixels.subarray(0, 3), pixels.subarray(3 * 1199, 3 * 1200)];
    assert.deepEqual(ends.map(isRed), expected, language);
  }
});

test('preview: 200 for titles in any script, without visible glyphs, with very wide and very high ones', async () => {
  const titles = [
    'x\u2800',
    'x\u3164',
    'x\u034F',
    '\uE000\u{10FFFD}x',
    '🍲',
    '👩🏽‍🌾',
    '🏴\u{E0067}\u{E0062}\u{E007F}',
  ];
  titles.push('x\u{E0001}', '\u{E0041}x', `${'\u{E0041}'.repeat(69)}x`);
  titles.push('\u202Eabc\u2066d', 'a\uFFFEb', 'a\uFFFCb', '\uFEFFa', '<b>&amp;</b>&', ']]>', '%s\\0');
  for (const wide of ['﷽', '𒐫', '𒈙', '龘', 'ꧽ', '⸻', 'W', 'ـ', 'ﷺ', 'a\u2060', 'W\u00A0', '\u{1F1E6}'])
    titles.push(wide, wide.repeat(Math.floor(140 / wide.length)));
  for (const mark of ['\u0301', '\u0489', '\u20E3', '\u0E33', '\uFE0F']) titles.push(`a${mark.repeat(139)}`);
  for (const title of sampleOf(titles)) await expectPreview(title);
});

test('preview: 200 with a long address of wide glyphs', async () => {
  for (const address of sampleOf(
    ['﷽'.repeat(90), '😀'.repeat(100), 'x\u2800', `a${'\u0301'.repeat(150)}`],
    3,
  ))
    await expectPreview('Long title '.repeat(12).trim(), { location: { address, lat: 59.91, lng: 10.75 } });
});

test('preview: 200 for any title that the API accepts', async () => {
  const ranges = [
    [0x20, 0x24f],
    [0x300, 0x36f],
    [0x370, 0x1fff],
    [0x2000, 0x2fff],
    [0x3000, 0xd7ff],
    [0xf900, 0xffff],
  ];
  const astral = [
    [0x10000, 0x1ffff],
    [0x20000, 0x2fa1f],
    [0xe0000, 0xe0fff],
    [0xf0000, 0x10ffff],
  ];
  const characters = [...ranges, ...astral].map(([min = 0, max = 0]) =>
    fc.integer({ min, max }).map((code) => String.fromCodePoint(code)),
  );
  const title = fc
    .oneof(
      fc.array(fc.oneof(...characters), { minLength: 1, maxLength: 60 }).map((parts) => parts.join('')),
      // One character many times
      fc
        .tuple(fc.oneof(...characters), fc.integer({ min: 1, max: 70 }))
        .map(([character, n]) => character.repeat(n)),
    )
    .filter(isVisibleLine);
  await fc.assert(
    fc.asyncProperty(title, (each) => expectPreview(each)),
    { numRuns: often(40) },
  );
});

test('preview: caches keep one for each language, by the cookie and by the browser', async () => {
  const { id } = await createEvent(api, organizer);
  const [english, german, swedish] = [
    await open(id),
    await open(id, { cookie: 'language=de' }),
    await open(id, { 'accept-language': 'sv' }),
  ];
  const etags = [english, german, swedish].map(({ headers }) => headers.get('etag') ?? '');
  assert.equal(new Set(etags).size, 3);
  for (const { headers } of [english, german, swedish]) {
    assert.match(headers.get('vary') ?? '', /Cookie, Accept-Language/);
    assert.equal(headers.get('cache-control'), 'public, max-age=600');
  }
  const same = await open(id, { cookie: 'language=de', 'if-none-match': etags[1] ?? '' });
  assert.equal(same.status, 304);
  assert.match(same.headers.get('vary') ?? '', /Cookie, Accept-Language/);
  const other = await open(id, { 'if-none-match': etags[1] ?? '' });
  assert.equal(other.status, 200);
});

test('preview: one client network leaves places and turns to others', async () => {
  const proxied = await api.startAnother({ pages: true, env: { TRUST_PROXY: 'loopback' } });
  const ids = await Promise.all(
    Array.from({ length: 44 }, async () => (await createEvent(api, organizer)).id),
  );
  const finished: string[] = [];
  const request = async (id: string | undefined, address: string) => {
    const headers = { 'x-forwarded-for': address };
    const { status } = await fetch(`${proxied.url}/e/${id}/preview.png`, { headers });
    finished.push(address);
    return status;
  };
  await request(ids[0], '203.0.113.1');
  finished.length = 0;
  const busy = ids.slice(1, 41).map((id) => request(id, '203.0.113.1'));
  await Promise.race(busy);
  const others = ids.slice(41).map((id, index) => request(id, `203.0.113.${index + 2}`));
  assert.deepEqual(await Promise.all(others), [200, 200, 200]);
  const statuses = await Promise.all(busy);
  assert.ok(statuses.includes(503));
  assert.ok(statuses.every((status) => status === 200 || status === 503));
  assert.equal(finished.at(-1), '203.0.113.1', 'the drawings of others came last');
});
