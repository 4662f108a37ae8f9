/** Generated covers: a theme in some colours, with the emoji of the category. */
import { createHash } from 'node:crypto';
import { svg } from '../../../lib/svg.ts';
import { type Category, findCategory } from '../catalogue.ts';
import { centreX, centreY, height, type Palette, width } from './shapes.ts';
import { type CoverTheme, coverThemes, type Theme, themes } from './themes.ts';

/** What a cover depends on. A category or theme that this version does not have counts as `other` or as none. */
export type CoverSource = { id: string; category: string; theme?: string | null | undefined };

/** The themes of automatic covers. */
const themesOf: Record<Category['slug'], readonly CoverTheme[]> = {
  music: ['moon', 'confetti', 'tiles', 'quilt', 'sun', 'bunting', 'rainbow', 'waves'],
  food: ['gingham', 'tiles', 'citrus', 'leaves', 'bunting', 'flowers', 'sun', 'quilt'],
  sports: ['waves', 'sun', 'quilt', 'leaves', 'bunting', 'confetti', 'rainbow', 'citrus'],
  outdoors: ['leaves', 'waves', 'sun', 'moon', 'flowers', 'gingham', 'rainbow', 'citrus'],
  arts: ['quilt', 'tiles', 'flowers', 'confetti', 'moon', 'rainbow', 'leaves', 'citrus'],
  film: ['moon', 'quilt', 'confetti', 'tiles', 'bunting', 'sun', 'waves', 'flowers'],
  games: ['confetti', 'quilt', 'tiles', 'moon', 'gingham', 'bunting', 'rainbow', 'citrus'],
  family: ['rainbow', 'bunting', 'flowers', 'sun', 'gingham', 'confetti', 'waves', 'moon'],
  learning: ['quilt', 'leaves', 'tiles', 'moon', 'waves', 'sun', 'rainbow', 'gingham'],
  tech: ['quilt', 'tiles', 'moon', 'confetti', 'waves', 'sun', 'citrus', 'leaves'],
  community: ['bunting', 'gingham', 'rainbow', 'flowers', 'quilt', 'leaves', 'sun', 'tiles'],
  party: ['confetti', 'bunting', 'moon', 'citrus', 'flowers', 'rainbow', 'sun', 'tiles'],
  wellbeing: ['leaves', 'sun', 'waves', 'flowers', 'moon', 'citrus', 'rainbow', 'quilt'],
  other: coverThemes,
};

type Look = { theme: Theme; palette: Palette; variant: number; picture: string };

const nameOf = (theme: CoverTheme, palette: number, variant: number): string =>
  `${theme}-${palette}-${variant}`;

/** A chosen theme has the look that the choice shows; other covers differ by the id. */
function lookOf({ id, category, theme }: CoverSource): Look {
  const chosen = coverThemes.find((name) => name === theme);
  const [first = 0, second = 0, third = 0] = createHash('sha256').update(id).digest();
  const names = themesOf[findCategory(category).slug];
  const name = chosen ?? names[first % names.length] ?? 'gingham';
  const { palettes, variants = 1 }: Theme = themes[name];
  const index = chosen ? 0 : second % palettes.length;
  const variant = chosen ? 0 : third % variants;
  const picture = nameOf(name, index, variant);
  return { theme: themes[name], palette: palettes[index] ?? palettes[0], variant, picture };
}

/** Returns an SVG image of 1200 × 630. */
export function coverSvg(source: CoverSource): string {
  const { theme, palette, variant } = lookOf(source);
  const { emoji } = findCategory(source.category);
  return svg(
    width,
    height,
    theme.draw(palette, variant) +
      `<text x="${centreX}" y="${theme.emojiY ?? centreY}" font-size="190" text-anchor="middle" dominant-baseline="central">${emoji}</text>`,
  );
}

/** The parts of a cover for software that cannot draw SVG: the name of a picture, and the emoji in its middle. */
export function coverParts(source: CoverSource): {
  picture: string;
  category: Category['slug'];
  emojiY: number;
} {
  const { theme, picture } = lookOf(source);
  return { picture, category: findCategory(source.category).slug, emojiY: theme.emojiY ?? centreY };
}

/** The pictures of all covers as SVG images, by their names. They have no emoji. */
export const coverPictures = (): [name: string, image: string][] =>
  coverThemes.flatMap((name) => {
    const { draw, palettes, variants = 1 }: Theme = themes[name];
    return palettes.flatMap((palette, index) =>
      Array.from({ length: variants }, (_, variant): [string, string] => [
        nameOf(name, index, variant),
        svg(width, height, draw(palette, variant)),
      ]),
    );
  });
