/**
 * Draws the preview of an event, which messengers and social networks show beside a link: its picture, and beside it what
 * decides whether one goes.
 */
import type { OverlayOptions } from 'sharp';
import { loadSharp } from '../../../lib/load-sharp.ts';
import { shorten } from '../../../lib/text.ts';
import type { CoverSource } from '../../../modules/events/covers/cover.ts';
import { drawPicture } from './picture.ts';
import { setText, type Text, type TextStyle } from './texts.ts';

export type Preview = {
  title: string;
  /** Below the title: when, with the status, and where. */
  lines: string[];
  /** An uploaded image, or the generated cover. */
  cover: Buffer | CoverSource;
  /** The part of an uploaded image that stays visible, such as `left top`. */
  focus: string;
  isRightToLeft: boolean;
};

const [width, height] = [1200, 630];
const pictureWidth = 560;
/** In pixels: around the texts, and below each of them. */
const margin = 56;
const gapBelow = (index: number): number => (index === 1 ? 36 : 20);
const textWidth = width - pictureWidth - 2 * margin;
const maxTextHeight = height - 2 * margin;
const maxLineHeight = 84;
/** In code points. */
const maxLineLength = 90;
/** As in web/src/lib/styles/tokens.css, in the light scheme. */
const colours = { paper: '#fbf6ee', ink: '#221d18', soft: '#6b6157', accent: '#a83c17' };

export async function drawPreview(preview: Preview): Promise<Buffer<ArrayBuffer>> {
  const sharp = await loadSharp();
  const { cover, focus, isRightToLeft } = preview;
  const picture = await drawPicture(cover, focus, { width: pictureWidth, height });
  const texts = await setTexts(preview);
  const overlays: OverlayOptions[] = [{ ...picture, left: isRightToLeft ? width - pictureWidth : 0, top: 0 }];
  let top = Math.round((height - heightOf(texts)) / 2);
  for (const [i, text] of texts.entries()) {
    const left = isRightToLeft ? margin + textWidth - text.raw.width : pictureWidth + margin;
    overlays.push({ ...text, left, top });
    top += text.raw.height + gapBelow(i);
  }
  const paper = sharp({ create: { width, height, channels: 3, background: colours.paper } });
  const image = await paper.composite(overlays).png({ palette: true, quality: 100 }).toBuffer();
  return Buffer.from(image.buffer as ArrayBuffer, image.byteOffset, image.length);
}

/** Sets the texts from top to bottom. The title takes the height that the others leave. */
async function setTexts({ title, lines }: Preview): Promise<Text[]> {
  const set = (text: string, style: Pick<TextStyle, 'font' | 'size' | 'colour'>, maxHeight = maxLineHeight) =>
    setText(text, { ...style, width: textWidth, maxHeight });
  const brand = await set('Potluck', { font: 'heading', size: 30, colour: colours.accent });
  const below: Text[] = [];
  for (const [i, line] of lines.entries()) {
    const colour = i === 0 ? colours.accent : colours.soft;
    below.push(await set(shorten(line, maxLineLength), { font: 'text', size: 32, colour }));
  }
  const maxHeight = maxTextHeight - heightOf([brand, noText, ...below]);
  const style = { font: 'heading', size: titleSize(title), colour: colours.ink } as const;
  return [brand, await set(title, style, maxHeight), ...below];
}

const noText = { raw: { height: 0 } };
const heightOf = (texts: { raw: { height: number } }[]): number =>
  texts.reduce((sum, { raw }, i) => sum + raw.height + (i > 0 ? gapBelow(i - 1) : 0), 0);

/** So that the longest title, of 140 characters, has about seven lines. */
const titleSize = ({ length }: string): number => (length <= 40 ? 68 : length <= 80 ? 54 : 44);
