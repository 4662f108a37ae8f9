import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import sharp from 'sharp';
import { categories } from '../catalogue.ts';
import { coverParts, coverPictures, coverSvg } from './cover.ts';
import { coverThemes, themes } from './themes.ts';

const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const chosen = coverThemes.map((theme) => ({ theme, svg: coverSvg({ id, category: 'food', theme }) }));

/** The central square as lists show it, in red, green and blue. The decoder refuses an image that is no valid XML. */
async function smallPicture(svg: string): Promise<Buffer> {
  // Another test of the process may have loaded the settings of load-sharp.ts.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  const image = sharp(Buffer.from(svg), { failOn: 'warning' }).resize(46, 46, { fit: 'cover' });
  return image.flatten().removeAlpha().raw().toBuffer();
}

/** The mean difference of two pictures, from 0 to 255. */
const difference = (a: Buffer, b: Buffer): number =>
  a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;

test('covers: each theme is a valid image below 6 kB, without scripts, addresses and filters', async () => {
  assert.equal(chosen.length, 12);
  for (const { theme, svg } of chosen) {
    assert.ok(Buffer.byteLength(svg) < 6_000, `${theme}: ${Buffer.byteLength(svg)} B`);
    assert.doesNotMatch(svg, /<script|<image|<filter|NaN|undefined|\bhref="[^#]|url\([^#]/, theme);
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1200 630"/);
    assert.match(svg, /🍲<\/text><\/svg>$/);
    const { width, height } = await sharp(Buffer.from(svg)).metadata();
    assert.deepEqual([width, height], [1200, 630]);
    await smallPicture(svg);
  }
});

test('covers: the looks of a category differ in a list', async () => {
  const pictures = await Promise.all(coverPictures().map(([, image]) => smallPicture(image)));
  for (const [i, picture] of pictures.entries())
    for (const other of pictures.slice(0, i)) assert.ok(difference(picture, other) > 12, `look ${i}`);
  for (const { slug } of categories) {
    const ids = Array.from({ length: 200 }, () => randomUUID());
    const drawn = new Set(ids.map((each) => coverSvg({ id: each, category: slug })));
    assert.ok(drawn.size >= 20, `${slug}: ${drawn.size} looks`);
  }
});

test('covers: an id has one look, and a chosen theme has the same colours for each id', () => {
  const automatic = { id, category: 'music' };
  assert.equal(coverSvg(automatic), coverSvg({ ...automatic, theme: null }));
  assert.equal(coverSvg(automatic), coverSvg({ ...automatic, theme: 'no longer there' }));
  for (const { theme, svg } of chosen) {
    assert.equal(coverSvg({ id: randomUUID(), category: 'food', theme }), svg);
    assert.ok(svg.includes(themes[theme].palettes[0][0]), theme);
  }
});

test('covers: the picture that belongs to a cover is its drawing without the emoji', () => {
  const pictures = new Map(coverPictures());
  for (const { slug, emoji } of categories)
    for (const theme of [...coverThemes, null, null, null]) {
      const source = { id: randomUUID(), category: slug, theme };
      const { picture, category, emojiY } = coverParts(source);
      assert.equal(category, slug);
      const cover = coverSvg(source);
      const [drawing, text = ''] = cover.split(/(?=<text)/);
      assert.equal(`${drawing}</svg>`, pictures.get(picture));
      assert.ok(text.includes(` y="${emojiY}"`) && text.includes(emoji), text);
    }
});
