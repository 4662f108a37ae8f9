/**
 * Sets texts as pixels with Pango, which `sharp` contains: it breaks lines, and joins and orders Arabic letters. The fonts
 * are files beside this one, because a server may have none: those of the pages for Latin letters, and DejaVu for others.
 */
import path from 'node:path';
import { lazily } from '#base';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { loadSharp } from '../../../lib/load-sharp.ts';

const files = ['BricolageGrotesque-Bold', 'Figtree-Medium', 'DejaVuSans-Bold', 'DejaVuSans'].map((name) =>
  path.join(import.meta.dirname, 'fonts', `${name}.ttf`),
);
const fonts = { heading: 'Bricolage Grotesque,DejaVu Sans Bold', text: 'Figtree,DejaVu Sans' };

/** Sizes in pixels. */
export type TextStyle = {
  font: keyof typeof fonts;
  size: number;
  colour: string;
  width: number;
  maxHeight: number;
};
export type Text = { input: Buffer; raw: { width: number; height: number; channels: 4 } };

/** Loads the image library with the fonts: Pango knows a font from the first text with its file on. */
const loadWithFonts = lazily(async () => {
  const sharp = await loadSharp();
  for (const fontfile of files)
    await sharp({ text: { text: 'a', fontfile } })
      .raw()
      .toBuffer();
  return sharp;
});

/** Pango refuses a text without a visible glyph, such as U+2800. */
export const setText = (text: string, style: TextStyle): Promise<Text> =>
  render(drawable(text), style).catch(() => render('–', style));

async function render(text: string, { font, size, colour, width, maxHeight }: TextStyle): Promise<Text> {
  const sharp = await loadWithFonts();
  const image = sharp({
    text: {
      text: `<span foreground="${colour}">${escapeHtml(text)}</span>`,
      font: `${fonts[font]} ${size}`,
      width,
      wrap: 'word-char',
      dpi: 72,
      rgba: true,
    },
  });
  // A glyph can be wider than the line, and a stack of marks higher than the image.
  image.resize({ width, height: maxHeight, fit: 'inside', withoutEnlargement: true });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { input: data, raw: { width: info.width, height: info.height, channels: 4 } };
}

/** The fonts have no colour emoji, and the tags that follow some of them. Separators of lines become spaces. */
const drawable = (text: string): string =>
  text
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200D\uFE0F\u{E0000}-\u{E0FFF}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim() || '–';
