/** The colours of maps. */

const names = ['water', 'land', 'built', 'border', 'park', 'building', 'road', 'ink', 'soft'] as const;
/** Of the tokens of the page (tokens.css). */
export type Colours = Record<(typeof names)[number], string>;

export function coloursOf(container: HTMLElement): Colours {
  const style = getComputedStyle(container);
  const colours = names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()] as const);
  return Object.fromEntries(colours) as Colours;
}
