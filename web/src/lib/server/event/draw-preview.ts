/**
 * Draws the preview of an event, which messengers and social networks show beside a link. The text is set by Pango, which
 * `sharp` contains: it breaks lines, and joins and orders Arabic letters. The fonts are files of a package, because a
 * server may have none.
 */
import { createRequire } from 'node:module';
import type { OverlayOptions, Sharp } from 'sharp';

export type Preview = {
  title: string;
  /** When and where, the status or any other line below the title. */
  lines: string[];
  /** An SVG or another image. */
  cover: Buffer;
  isRightToLeft: boolean;
};

const [width, height] = [1200, 630];
/** In pixels: around the panel, and within it. */
const [margin, padding] = [48, 44];
const textWidth = width - 2 * (margin + padding);
const gap = 20;
const colours = { panel: '#fdfaf5', title: '#23201c', line: '#655d54', brand: '#a53f17' };

const { resolve } = createRequire(import.meta.url);
const fonts = {
  bold: { font: 'DejaVu Sans Bold', file: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf' },
  plain: { font: 'DejaVu Sans', file: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf' },
};

type TextStyle = { font: keyof typeof fonts; size: number; colour: string };

export async function drawPreview({
  title,
  lines,
  cover,
  isRightToLeft,
}: Preview): Promise<Buffer<ArrayBuffer>> {
  const { default: sharp } = await import('sharp');

  const setText = async (text: string, { font, size, colour }: TextStyle) => {
    const markup = `<span foreground="${colour}">${escapeMarkup(withoutEmoji(text))}</span>`;
    const { data, info } = await sharp({
      text: {
        text: markup,
        font: `${fonts[font].font} ${size}`,
        fontfile: resolve(fonts[font].file),
        width: textWidth,
        wrap: 'word-char',
        dpi: 72,
        rgba: true,
      },
    })
      .png()
      .toBuffer({ resolveWithObject: true });
    return { input: data, width: info.width, height: info.height };
  };

  const texts = [
    await setText('Potluck', { font: 'bold', size: 26, colour: colours.brand }),
    await setText(title, { font: 'bold', size: titleSize(title), colour: colours.title }),
  ];
  for (const line of lines) {
    texts.push(await setText(shorten(line), { font: 'plain', size: 32, colour: colours.line }));
  }

  const panelHeight = texts.reduce((sum, text) => sum + text.height + gap, 2 * padding - gap);
  let top = height - margin - panelHeight + padding;
  const overlays: OverlayOptions[] = [{ input: panel(panelHeight) }];
  for (const text of texts) {
    const start = margin + padding;
    overlays.push({
      input: text.input,
      left: isRightToLeft ? width - start - text.width : start,
      top: Math.round(top),
    });
    top += text.height + gap;
  }
  const image: Sharp = sharp(cover, { limitInputPixels: 50_000_000 })
    .resize(width, height, { fit: 'cover' })
    .composite(overlays);
  const { buffer, byteOffset, length } = await image.png({ palette: true, quality: 90 }).toBuffer();
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length);
}

const panel = (panelHeight: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
      `<rect x="${margin}" y="${height - margin - panelHeight}" width="${width - 2 * margin}" ` +
      `height="${panelHeight}" rx="28" fill="${colours.panel}" fill-opacity="0.96"/></svg>`,
  );

/** So that the longest title, of 140 characters, has about four lines. */
const titleSize = ({ length }: string): number => (length <= 40 ? 66 : length <= 80 ? 54 : 44);

const maxLineLength = 90;
const shorten = (line: string): string =>
  line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1)}…`;

/** The fonts have no colour emoji. */
const withoutEmoji = (text: string): string =>
  text.replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|\uFE0F/gu, '').trim() || '–';

const escapeMarkup = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // Pango refuses control characters.
    .replace(/\p{Cc}/gu, ' ');
