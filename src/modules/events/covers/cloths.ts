/** Cover themes that are patterns: cloth, tiles, paper. Some have a second variant of another scale or direction. */
import { numbersFrom } from '#base';
import {
  centreX,
  centreY,
  circle,
  copiesAround,
  copy,
  dashedRing,
  define,
  fill,
  ground,
  height,
  label,
  type Palette,
  paper,
  path,
  round,
  scatter,
  stroke,
  tiled,
  width,
} from './shapes.ts';

/** A checked tablecloth with a plate. */
export const drawGingham = ([base, main]: Palette, variant: number): string =>
  ground(base) +
  tiled(
    100,
    `<g ${fill(main, 0.56)}><path d="M0 0h25v100H0zM75 0h25v100H75z"/><path d="M0 0h100v25H0zM0 75h100v25H0z"/></g>`,
    variant === 0 ? {} : { turn: 45, scale: 0.7 },
  ) +
  label(186, paper) +
  dashedRing(164, main, { count: 44, lineWidth: 6, lineLength: 0.45 });

/** Ogee tiles, as on a kitchen wall. */
export const drawTiles = ([base, main, second, third]: Palette, variant: number): string =>
  ground(base) +
  tiled(
    140,
    path('M70 6C78 42 132 44 132 70S78 98 70 134C62 98 8 96 8 70S62 42 70 6Z', fill(main)) +
      circle(70, 70, 27, fill(base)) +
      circle(70, 70, 18, fill(second)) +
      [0, 140]
        .map((x) =>
          [0, 140].map((y) => circle(x, y, 30, fill(third)) + circle(x, y, 11, fill(base))).join(''),
        )
        .join(''),
    variant === 0 ? {} : { turn: 45, scale: 0.75 },
  ) +
  label(180, paper) +
  circle(centreX, centreY, 166, stroke(main, 9)) +
  dashedRing(147, second, { count: 40, lineWidth: 9, lineLength: 0 });

/** Strips of paper on a dark table, and a scalloped plate. */
export function drawConfetti([base, ...colours]: Palette, variant: number): string {
  const lines = colours.map(() => '');
  for (const [i, { x, y, turn }] of (variant === 0 ? scatter(74, 11, 215) : scatter(52, 5, 205)).entries()) {
    const [dx, dy] = [Math.round(26 * Math.cos(turn)), Math.round(26 * Math.sin(turn))];
    // Each third strip is bent, and each seventh is a dot.
    const bend = `q${dx + dy} ${dy - dx} ${2 * dx} ${2 * dy}`;
    const shape = i % 7 === 3 ? 'h0' : i % 3 === 0 ? bend : `l${dx} ${dy}`;
    lines[i % lines.length] += `M${x} ${y}${shape}`;
  }
  const round = ' stroke-linecap="round" stroke-linejoin="round"';
  return (
    ground(base) +
    lines.map((line, i) => path(line, stroke(colours[i] ?? base, 13, round))).join('') +
    circle(centreX, centreY + 8, 186, fill('#000', 0.16)) +
    dashedRing(164, paper, { count: 26, lineWidth: 44, lineLength: 0 }) +
    circle(centreX, centreY, 168, fill(paper)) +
    circle(centreX, centreY, 146, stroke(colours[1] ?? base, 5))
  );
}

/** Twigs, and a wreath. */
export function drawLeaves([base, main, second, berry]: Palette): string {
  const leaf = (x: number, y: number, turn: number, size: number) =>
    copy('l', `translate(${x} ${y}) rotate(${turn}) scale(${size})`);
  const pair = (y: number) => leaf(0, y, 50, 0.7) + leaf(0, y, -50, 0.7);
  const twig = path('M0 96V-40', stroke(second, 6)) + pair(66) + pair(26) + pair(-14) + leaf(0, -34, 0, 0.7);
  const twigs = ['translate(74 82) rotate(24)', 'translate(226 232) rotate(204)'];
  const berries = [228, 72, 252, 92, 74, 222, 52, 244];
  return (
    define('l', path('M0 0C28-18 30-54 0-88C-30-54-28-18 0 0Z', '')) +
    define('w', twig) +
    define('r', leaf(0, -160, 28, 0.92) + leaf(-18, -160, -24, 0.66)) +
    ground(base) +
    tiled(
      300,
      `<g ${fill(second)}>${twigs.map((transform) => copy('w', transform)).join('')}</g>` +
        [0, 2, 4, 6].map((i) => circle(berries[i] ?? 0, berries[i + 1] ?? 0, 10, fill(berry))).join(''),
    ) +
    circle(centreX, centreY, 205, fill(base)) +
    `<g ${fill(main)}>${copiesAround('r', 16)}</g>` +
    dashedRing(178, berry, { count: 16, lineWidth: 18, lineLength: 0 }) +
    circle(centreX, centreY, 164, fill(paper))
  );
}

/** Slices of oranges and lemons. */
export function drawCitrus([base, main, second, leaf]: Palette, variant: number): string {
  const turned = Array.from({ length: 8 }, (_, i) => copy('s', `rotate(${i * 45})`)).join('');
  const slice = (x: number, y: number, colour: string, turn: number) =>
    `<g transform="translate(${x} ${y}) rotate(${turn})" ${fill(colour)}>` +
    `<circle r="66"/><circle r="57" ${fill(paper)}/>${turned}</g>`;
  const leaves = path(
    'M176 40c26-24 52-22 66-4c-22 20-46 22-66 4zM34 196c-4-26 8-46 30-52c8 26-2 46-30 52z',
    fill(leaf),
  );
  return (
    define('s', path('M-3-10L-17-42Q0-58 17-42L3-10Q0-4-3-10Z', '')) +
    ground(base) +
    tiled(
      276,
      slice(75, 72, main, 12) + slice(200, 196, second, 30) + leaves,
      variant === 0 ? {} : { turn: 45, scale: 0.6 },
    ) +
    circle(centreX, centreY + 8, 190, fill('#000', 0.12)) +
    circle(centreX, centreY, 188, fill(main)) +
    circle(centreX, centreY, 166, fill(paper)) +
    dashedRing(150, second, { count: 32, lineWidth: 8, lineLength: 0.4 })
  );
}

/** A large flower among small ones. */
export function drawFlowers([base, main, second, third]: Palette): string {
  const petals = Array.from({ length: 6 }, (_, i) => copy('p', `rotate(${i * 60})`)).join('');
  const flower = (x: number, y: number, colour: string, eye: string, size: number) =>
    `<g transform="translate(${x} ${y}) scale(${size})" ${fill(colour)}>${petals}<circle r="17" ${fill(eye)}/></g>`;
  return (
    define('p', '<ellipse cy="-38" rx="21" ry="30"/>') +
    define('q', '<ellipse cy="-192" rx="62" ry="96"/>') +
    define('r', copy('q', 'rotate(20) scale(.92)')) +
    ground(base) +
    tiled(
      220,
      flower(60, 60, second, third, 0.85) +
        flower(168, 166, third, second, 0.7) +
        circle(166, 56, 10, fill(main)) +
        circle(54, 170, 10, fill(main)),
    ) +
    circle(centreX, centreY, 262, fill(base)) +
    `<g ${fill(second)}>${copiesAround('q', 9)}</g><g ${fill(main)}>${copiesAround('r', 9)}</g>` +
    circle(centreX, centreY, 160, fill(paper)) +
    dashedRing(143, third, { count: 30, lineWidth: 10, lineLength: 0 })
  );
}

/** Patchwork of quarter circles, halves and triangles. */
export function drawQuilt([base, ...colours]: Palette, variant: number): string {
  const size = variant === 0 ? 105 : 157.5;
  const half = size / 2;
  const radius = round(0.29 * size);
  const next = numbersFrom(29);
  const lines = colours.map(() => '');
  let last = 0;
  for (let y = 0; y < height; y += size)
    for (let x = centreX - 6 * size; x < width; x += size) {
      last = (last + 1 + Math.floor(next() * (colours.length - 1))) % colours.length;
      const shapes = [
        `M${x} ${y}h${size}a${size} ${size} 0 0 1-${size} ${size}z`,
        `M${x + size} ${y + size}h-${size}a${size} ${size} 0 0 1 ${size}-${size}z`,
        `M${x + size} ${y}v${size}a${size} ${size} 0 0 1-${size}-${size}z`,
        `M${x} ${y}h${size}l-${size} ${size}z`,
        `M${x} ${y}h${size}a${half} ${half} 0 0 1-${size} 0z`,
        `M${x + half - radius} ${y + half}a${radius} ${radius} 0 0 1 ${2 * radius} 0a${radius} ${radius} 0 0 1-${2 * radius} 0z`,
      ];
      lines[last] += shapes[Math.floor(next() * shapes.length)] ?? '';
    }
  const square = (side: number, attributes: string, y = 0) =>
    `<rect x="${centreX - side / 2}" y="${centreY - side / 2 + y}" width="${side}" height="${side}" rx="${side / 6}" ${attributes}/>`;
  return (
    ground(base) +
    lines.map((line, i) => path(line, fill(colours[i] ?? base))).join('') +
    square(324, fill('#000', 0.16), 8) +
    square(320, fill(paper)) +
    square(282, stroke(colours[0] ?? base, 6, ' stroke-dasharray="20 14" stroke-linecap="round"'))
  );
}
