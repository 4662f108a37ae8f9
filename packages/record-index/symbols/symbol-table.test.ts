import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { ByteWriter } from '../byte-writer.ts';
import { findSymbols, SymbolEncoder, type TextWithId } from './symbol-encoder.ts';
import { SymbolDecoder } from './symbol-table.ts';

/** Compresses some texts with the symbols of a sample, and reads each of them. */
function compressed(sample: TextWithId[], texts: TextWithId[]): { texts: string[]; codes: number } {
  const symbols = findSymbols(sample);
  const encoder = new SymbolEncoder(symbols);
  const decoder = new SymbolDecoder(symbols);
  const codes = new Uint16Array(texts.reduce((sum, { text }) => sum + text.length, 0));
  const ends = [0];
  for (const text of texts) ends.push(encoder.encode(text, codes, ends.at(-1) ?? 0));
  const out = new ByteWriter();
  const read = texts.map(({ id }, i) => {
    decoder.decode(codes, ends[i] ?? 0, ends[i + 1] ?? 0, id, out);
    return out.take().toString();
  });
  return { texts: read, codes: ends.at(-1) ?? 0 };
}

/** Texts of any characters, in which words, and the id itself, come again. */
const textWithId: fc.Arbitrary<TextWithId> = fc
  .uuid()
  .chain((id) =>
    fc
      .array(
        fc.oneof(
          anyText({ maxLength: 20 }),
          fc.constantFrom(
            id,
            id.slice(0, 20),
            'brunch ',
            'فطور',
            'завтрак',
            '早午餐',
            '🥐',
            '"title":"',
            '\u0000',
          ),
        ),
      )
      .map((parts) => ({ id, text: Buffer.from(parts.join('')) })),
  );

test('symbols: compressing and reading a text returns the same text, with symbols of this or another sample', () => {
  fc.assert(
    fc.property(fc.array(textWithId), fc.array(textWithId), (sample, texts) => {
      const expected = texts.map(({ text }) => text.toString());
      assert.deepEqual(compressed(sample, texts).texts, expected);
      assert.deepEqual(compressed(texts, texts).texts, expected);
    }),
  );
});

test('symbols: texts that resemble each other take at most a quarter of their bytes', () => {
  const texts = Array.from({ length: 1_000 }, (_, i): TextWithId => {
    const id = crypto.randomUUID();
    const title = `Завтрак ${i % 7} — فطور ${(i * 7919) % 1_000}`;
    return { id, text: Buffer.from(JSON.stringify({ id, title, coverUrl: `/v1/events/${id}/cover.svg` })) };
  });
  const bytes = texts.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(2 * compressed(texts.slice(0, 500), texts).codes < bytes / 4);
});
