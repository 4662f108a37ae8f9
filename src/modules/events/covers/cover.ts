/** Generated covers: a theme in some colours, with the emoji of the category. */
import { createHash } from 'node:crypto';
import { svg } from '../../../http/placeholder-images.ts';
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

/** A chosen theme has the colours that the choice shows; other covers differ by the id. */
function lookOf({ id, category, theme }: CoverSource): { theme: Theme; palette: Palette } {
  const chosen = coverThemes.find((name) => name === theme);
  if (chosen) return { theme: themes[chosen], palette: themes[chosen].palettes[0] };
  const [first = 0, second = 0] = createHash('sha256').update(id).digest();
  const names = themesOf[findCategory(category).slug];
  const found: Theme = themes[names[first % names.length] ?? 'gingham'];
  return { theme: found, palette: found.palettes[second % found.palettes.length] ?? found.palettes[0] };
}

/** Returns an SVG image of 1200 × 630. */
export function coverSvg(source: CoverSource): string {
  const { theme, palette } = lookOf(source);
  const y = theme.emojiY ?? centreY;
  const { emoji } = findCategory(source.category);
  return svg(
    width,
    height,
    theme.draw(palette) +
      `<text x="${centreX}" y="${y}" font-size="190" text-anchor="middle" dominant-baseline="central">${emoji}</text>`,
  );
}

/** The ground of the cover and the main colour of its drawing, as `#rrggbb`. */
export const coverColours = (source: CoverSource): readonly [string, string, ...string[]] =>
  lookOf(source).palette;
