/** The themes of generated covers: their colours, and their drawings. */
import {
  drawCitrus,
  drawConfetti,
  drawFlowers,
  drawGingham,
  drawLeaves,
  drawQuilt,
  drawTiles,
} from './cloths.ts';
import { drawBunting, drawMoon, drawRainbow, drawSun, drawWaves, rainbowEmojiY } from './scenes.ts';
import type { Palette } from './shapes.ts';

export type Theme = {
  /** The first is that of a theme that an organizer chooses; an automatic cover has any. */
  palettes: readonly [Palette, ...Palette[]];
  /** Draws the first variant, which a theme that an organizer chooses has, or another one. */
  draw: (palette: Palette, variant: number) => string;
  /** The number of variants, if it is not one. */
  variants?: number;
  /** The middle of the emoji, if it is not that of the cover. */
  emojiY?: number;
};

/** Cloth has one colour. */
const cloth = (base: string, colour: string): Palette => [base, colour, colour, colour];

export const themes = {
  gingham: {
    draw: drawGingham,
    variants: 2,
    palettes: [
      cloth('#fff6e6', '#cf412b'),
      cloth('#f7f8f2', '#2c6db0'),
      cloth('#fbf8e6', '#3c8a55'),
      cloth('#fff8e0', '#dd9a12'),
    ],
  },
  tiles: {
    draw: drawTiles,
    variants: 2,
    palettes: [
      ['#f6ead6', '#22668a', '#eaa53b', '#e07a52'],
      ['#fdeee2', '#b5432f', '#2f8f86', '#e5a63c'],
      ['#2d6a4f', '#f3ead2', '#e9b53a', '#e07d4f'],
      ['#f8ccd6', '#7a3b8f', '#f0913a', '#f6f0dc'],
    ],
  },
  waves: {
    draw: drawWaves,
    palettes: [
      ['#cfe9ec', '#1f6f95', '#ffcf6b', '#ee5f45'],
      ['#ffd3ae', '#a9456a', '#fff0c4', '#f0803c'],
      ['#f6f0c8', '#1f8a7d', '#f7a23b', '#2e5f9e'],
      ['#d9d2f2', '#4a3f8f', '#ffd88a', '#e0608a'],
      ['#fbe0d0', '#c8553d', '#ffe9a8', '#588b8b'],
    ],
  },
  confetti: {
    draw: drawConfetti,
    variants: 2,
    palettes: [
      ['#3b4a90', '#f5b53f', '#ef6a3c', '#ffffff'],
      ['#8a2f5f', '#ffd25e', '#ff8fa8', '#8ad9d0'],
      ['#14685f', '#ffcb52', '#f4f1de', '#ff8260'],
      ['#f47c5b', '#fff2d8', '#2f4b7c', '#ffd65c'],
    ],
  },
  leaves: {
    draw: drawLeaves,
    palettes: [
      ['#e4eed8', '#3b7a4c', '#8cb56f', '#dd5a3c'],
      ['#1f4a3e', '#9bd0a0', '#5c9a78', '#f0c659'],
      ['#fbe6cb', '#bf5426', '#e3a443', '#7a2f3a'],
      ['#bdd7ea', '#2a5a86', '#6f9fc0', '#f0845c'],
    ],
  },
  moon: {
    draw: drawMoon,
    palettes: [
      ['#252a66', '#141738', '#fff0c2', '#ffe08a'],
      ['#8a3a68', '#43163f', '#ffe9d6', '#ffc2a8'],
      ['#0f4a5c', '#082a38', '#f4f3d4', '#9fe0cf'],
      ['#c65b3c', '#7d2a2e', '#fff0d0', '#ffd08a'],
      ['#5b7fb5', '#2d4a7c', '#fff8dc', '#ffd6e0'],
    ],
  },
  sun: {
    draw: drawSun,
    palettes: [
      ['#f8b62f', '#fdcd5e', '#fff6dc', '#e4572e'],
      ['#5cb9b4', '#82cdc6', '#fff6dc', '#f4a237'],
      ['#f08a8c', '#f6a7a2', '#fff6e4', '#fbd04f'],
      ['#8f7ad1', '#ab9ae0', '#fff6e4', '#ffd166'],
      ['#4f9a63', '#74b583', '#fff8e4', '#f6c945'],
      ['#3f7fbf', '#6aa0d6', '#fff8e8', '#ff9f5a'],
    ],
  },
  citrus: {
    draw: drawCitrus,
    variants: 2,
    palettes: [
      ['#ffeeb5', '#f2a900', '#f07d24', '#5f9a45'],
      ['#ffdcd8', '#ec4f66', '#f9905e', '#3f8f6f'],
      ['#e2f2c4', '#7fb535', '#f2cb2e', '#2f7f55'],
      ['#cfe9f2', '#f28c28', '#f7cf3c', '#2f8f86'],
      ['#f3e3f7', '#b5489e', '#f28f3b', '#4d8f5b'],
    ],
  },
  flowers: {
    draw: drawFlowers,
    palettes: [
      ['#ffdbe0', '#e0315b', '#ff9aa8', '#f5a623'],
      ['#20406f', '#ffc83d', '#ff8a66', '#bfe3f0'],
      ['#d9efe4', '#f0693a', '#f8c341', '#2a7f6f'],
      ['#ece0fb', '#7748c4', '#c39bf0', '#f2a72e'],
    ],
  },
  rainbow: {
    draw: drawRainbow,
    emojiY: rainbowEmojiY,
    palettes: [
      ['#cfe8f7', '#e5557a', '#f7b53c', '#3fa39a'],
      ['#fbdcb8', '#cc5238', '#f0a03c', '#5b8f86'],
      ['#464585', '#ff8d70', '#ffd068', '#76d2c2'],
      ['#ffe4ec', '#7a4fb5', '#f28f3b', '#3a8fc4'],
      ['#2f6f5e', '#f28f3b', '#f7d154', '#f6c8d0'],
    ],
  },
  bunting: {
    draw: drawBunting,
    variants: 2,
    palettes: [
      ['#8fcbe0', '#e2523a', '#f7bd35', '#266f86'],
      ['#fbe3c0', '#d33d68', '#3a78c4', '#f0962c'],
      ['#2f4d6b', '#ffcf5c', '#ff7d66', '#8fd8c8'],
      ['#f6d0d8', '#7a3b8f', '#f2a93b', '#2f8f86'],
      ['#8a4f7d', '#ffd25e', '#ff9a76', '#8fd8c8'],
    ],
  },
  quilt: {
    draw: drawQuilt,
    variants: 2,
    palettes: [
      ['#f5e5c9', '#d1495b', '#edae49', '#00798c'],
      ['#e6eaf5', '#35549c', '#ee8550', '#93bce0'],
      ['#fbe2e8', '#863a79', '#f2899c', '#f2bd45'],
      ['#22404f', '#fb7b2c', '#fbc744', '#9dc07e'],
    ],
  },
} satisfies Record<string, Theme>;

export type CoverTheme = keyof typeof themes;
export const coverThemes = Object.keys(themes) as CoverTheme[];
