/**
 * Draws the preview of an event, which messengers and social networks show beside a link. The text is set by Pango, which
 * `sharp` contains: it breaks lines, and joins and orders Arabic letters. The fonts are files beside this one, because a
 * server may have none.
 */
import path from 'node:path';
import type { OverlayOptions, Sharp } from 'sharp';
import { loadSharp } from '../../../lib/load-sharp.ts';
import { shorten } from '../../../lib/text.ts';
import { type CoverSource, coverColours } from '../../../modules/events/covers/cover.ts';
import { escapeHtml } from '../../pages/layout.ts';
import { gradient, roundedRectangle } from './shapes.ts';

export type Preview = {
  title: string;
  /** When and where, the status or any other line below the title. */
  lines: string[];
  /** An uploaded image, or the generated cover, of which the preview shows the colours. */
  cover: Buffer | CoverSource;
  /** The part of the image that stays visible, such as `left top`. */
  focus: string;
  isRightToLeft: boolean;
};

const [width, height] = [1200, 630];
/** In pixels: around the panel, within it, and between its texts. */
const [margin, padding, gap] = [48, 44, 20];
const panelWidth = width - 2 * margin;
const textWidth = panelWidth - 2 * padding;
const maxTextHeight = height - 2 * (margin + padding);
const maxLineHeight = 84;
/** In code points. */
const maxLineLength = 90;
const colours = { panel: [253, 250, 245, 245], title: '#23201c', line: '#655d54', brand: '#a53f17' };

const fonts = {
  bold: { font: 'DejaVu Sans Bold', file: 'DejaVuSans-Bold.ttf' },
  plain: { font: 'DejaVu Sans', file: 'DejaVuSans.ttf' },
};

type TextStyle = { font: keyof typeof fonts; size: number; colour: string; maxHeight: number };
type Text = { input: Buffer; raw: { width: number; height: number; channels: 4 } };

export async function drawPreview(preview: Preview): Promise<Buffer<ArrayBuffer>> {
  const texts = await setTexts(preview);
  const panelHeight = heightOf(texts) + 2 * padding;
  let top = height - margin - panelHeight;
  const panel = roundedRectangle({
    width: panelWidth,
    height: panelHeight,
    radius: 28,
    colour: colours.panel,
  });
  const overlays: OverlayOptions[] = [{ ...panel, left: margin, top }];
  top += padding;
  for (const text of texts) {
    const start = margin + padding;
    overlays.push({ ...text, left: preview.isRightToLeft ? width - start - text.raw.width : start, top });
    top += text.raw.height + gap;
  }
  const image = (await openCover(preview))
    .resize(width, height, { fit: 'cover', position: preview.focus })
    .composite(overlays);
  const { buffer, byteOffset, length } = await image.png({ palette: true, quality: 100 }).toBuffer();
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length);
}

async function openCover({ cover }: Preview): Promise<Sharp> {
  const sharp = await loadSharp();
  if (Buffer.isBuffer(cover)) return sharp(cover, { limitInputPixels: 50_000_000 });
  const [from, to] = coverColours(cover);
  const { input, raw } = gradient(from, to);
  return sharp(input, { raw });
}

/** Sets the texts from top to bottom. The title takes the height that the others leave. */
async function setTexts({ title, lines }: Preview): Promise<Text[]> {
  const brand = await setText('Potluck', {
    font: 'bold',
    size: 26,
    colour: colours.brand,
    maxHeight: maxLineHeight,
  });
  const below: Text[] = [];
  for (const line of lines) {
    const style = { font: 'plain', size: 32, colour: colours.line, maxHeight: maxLineHeight } as const;
    below.push(await setText(shorten(line, maxLineLength), style));
  }
  const maxHeight = maxTextHeight - heightOf([brand, ...below]) - gap;
  const style = { font: 'bold', size: titleSize(title), colour: colours.title, maxHeight } as const;
  return [brand, await setText(title, style), ...below];
}

const heightOf = (texts: Text[]): number => texts.reduce((sum, { raw }) => sum + raw.height + gap, -gap);

/** Pango refuses a text without a visible glyph, such as U+2800. */
const setText = (text: string, style: TextStyle): Promise<Text> =>
  render(drawable(text), style).catch(() => render('–', style));

async function render(text: string, { font, size, colour, maxHeight }: TextStyle): Promise<Text> {
  const sharp = await loadSharp();
  const image = sharp({
    text: {
      text: `<span foreground="${colour}">${escapeHtml(text)}</span>`,
      font: `${fonts[font].font} ${size}`,
      fontfile: path.join(import.meta.dirname, 'fonts', fonts[font].file),
      width: textWidth,
      wrap: 'word-char',
      dpi: 72,
      rgba: true,
    },
  });
  // A glyph can be wider than the line, and a stack of marks higher than the image.
  image.resize({ width: textWidth, height: maxHeight, fit: 'inside', withoutEnlargement: true });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { input: data, raw: { width: info.width, height: info.height, channels: 4 } };
}

/** So that the longest title, of 140 characters, has about four lines. */
const titleSize = ({ length }: string): number => (length <= 40 ? 66 : length <= 80 ? 54 : 44);

/** The fonts have no colour emoji, and the tags that follow some of them. Separators of lines become spaces. */
const drawable = (text: string): string =>
  text
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200D\uFE0F\u{E0000}-\u{E0FFF}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim() || '–';
