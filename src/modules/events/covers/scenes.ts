/** Cover themes that are places: the sea, the sky, a party in a garden. */
import {
  centreX,
  centreY,
  circle,
  copiesAround,
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
  width,
} from './shapes.ts';

/** The sea with a lifebuoy. */
export function drawWaves([sky, sea, sun, buoy]: Palette): string {
  const wave = (y: number, shift: number, opacity: number) =>
    path(`M${shift} ${y}q75-58 150 0${'t150 0'.repeat(9)}V${height}H0V${y}z`, fill(sea, opacity));
  const ring = (colour: string, more = '') => circle(centreX, centreY, 152, stroke(colour, 52, more));
  const quarter = (2 * Math.PI * 152) / 8;
  return (
    ground(sky) +
    circle(790, 130, 84, fill(sun)) +
    wave(250, -60, 0.3) +
    wave(335, -130, 0.5) +
    circle(centreX, centreY, 130, fill(paper)) +
    ring(paper) +
    ring(buoy, ` stroke-dasharray="${round(quarter)}" stroke-dashoffset="${round(quarter / 2)}"`) +
    circle(centreX, centreY, 126, stroke('#000', 3, ' stroke-opacity=".12"')) +
    wave(461, -30, 0.72) +
    wave(560, -105, 1)
  );
}

/** A night sky; the label is the moon. */
export function drawMoon([night, hill, moon, star]: Palette): string {
  const stars = scatter(96, 5, 230).filter(({ y }) => y < 500);
  const dots = stars.map(({ x, y }) => `M${x} ${y}h0`);
  const sparkle = ({ x, y }: { x: number; y: number }) =>
    `M${x} ${y - 22}q4 18 22 22q-18 4-22 22q-4-18-22-22q18-4 22-22z`;
  const pine = (x: number, y: number, size: number) =>
    `M${x} ${y}l${size} ${2 * size}h-${round(size * 0.4)}l${round(size * 0.7)} ${round(size * 1.5)}h-${round(size * 2.6)}l${round(size * 0.7)}-${round(size * 1.5)}h-${round(size * 0.4)}z`;
  return (
    ground(night) +
    path(dots.filter((_, i) => i % 3).join(''), stroke(star, 8, ' stroke-linecap="round"')) +
    path(
      stars
        .filter((_, i) => i % 3 === 0)
        .map(sparkle)
        .join(''),
      fill(star),
    ) +
    circle(centreX, centreY, 262, fill(moon, 0.1)) +
    circle(centreX, centreY, 222, fill(moon, 0.16)) +
    circle(centreX, centreY, 182, fill(moon)) +
    [
      [485, 225, 22],
      [700, 395, 28],
      [520, 410, 15],
      [715, 215, 13],
      [462, 330, 11],
    ]
      .map(([x = 0, y = 0, radius = 0]) => circle(x, y, radius, fill(night, 0.1)))
      .join('') +
    path(`M0 540q230-110 480-20t${width - 480}-30V${height}H0z`, fill(hill, 0.55)) +
    path(
      [pine(330, 490, 26), pine(384, 476, 34), pine(862, 498, 34), pine(918, 520, 24)].join(''),
      fill(hill),
    ) +
    path(`M0 600q300-70 640-10t560-30V${height}H0z`, fill(hill))
  );
}

/** Rays; the label is the sun. */
export function drawSun([sky, ray, sun, flame]: Palette): string {
  const rays = Array.from({ length: 16 }, (_, i) => {
    const [from, to] = [((i - 0.25) * Math.PI) / 8, ((i + 0.25) * Math.PI) / 8];
    const end = (turn: number) =>
      `${Math.round(centreX + 720 * Math.sin(turn))} ${Math.round(centreY - 720 * Math.cos(turn))}`;
    return `M${centreX} ${centreY}L${end(from)} ${end(to)}z`;
  });
  return (
    define('f', path('M-36-176Q-10-200 0-250Q10-200 36-176Z', '')) +
    ground(sky) +
    path(rays.join(''), fill(ray)) +
    `<g ${fill(flame)}>${copiesAround('f', 16)}</g>` +
    circle(centreX, centreY, 186, fill(flame)) +
    circle(centreX, centreY, 168, fill(sun)) +
    dashedRing(149, flame, { count: 32, lineWidth: 8, lineLength: 0 })
  );
}

/** Under the rainbow. */
export const rainbowEmojiY = 415;

/** A rainbow between two clouds; the emoji stands under it. */
export function drawRainbow([sky, ...colours]: Palette): string {
  const y = rainbowEmojiY + 55;
  const arch = (radius: number, colour: string) =>
    path(`M${centreX - radius} 640V${y}a${radius} ${radius} 0 0 1 ${2 * radius} 0V640`, stroke(colour, 50));
  const cloud = (x: number) =>
    circle(x - 105, 575, 62, '') +
    circle(x - 30, 530, 84, '') +
    circle(x + 62, 560, 68, '') +
    circle(x + 125, 600, 50, '');
  const drops = scatter(120, 3, 300).filter(
    (point) => point.y < 470 && Math.hypot(point.x - centreX, point.y - y) > 400,
  );
  return (
    ground(sky) +
    path(
      drops.map(({ x, y }) => `M${x} ${y}h0`).join(''),
      stroke(colours[1] ?? sky, 20, ' stroke-linecap="round"'),
    ) +
    [380, 318, 256].map((radius, i) => arch(radius, colours[i] ?? sky)).join('') +
    circle(centreX, rainbowEmojiY, 168, fill(paper)) +
    `<g ${fill('#fff')}>${cloud(300)}${cloud(905)}</g>`
  );
}

/** Rows of pennants; in the second variant larger ones. */
export function drawBunting([sky, ...colours]: Palette, variant: number): string {
  const flags = colours.map(() => '');
  const [span, count] = [420, 6];
  let ropes = '';
  for (const [row, top] of [-60, 98, 256, 414, 572].entries()) {
    const start = centreX - (row % 2 ? 2 : 1.5) * span;
    ropes += `M${start} ${top}${`q${span / 2} 110 ${span} 0`.repeat(4)}`;
    for (let i = 0; i < 4 * count; i++) {
      const share = ((i % count) + 0.5) / count;
      const x = Math.round(start + (i + 0.5) * (span / count));
      const y = Math.round(top + 220 * share * (1 - share));
      const tilt = Math.round((0.5 - share) * 26);
      if (x < -30 || x > width + 30) continue;
      flags[(i + row) % flags.length] += `M${x - 29} ${y - tilt}l58 ${2 * tilt}l-${29 + tilt} ${82 - tilt}z`;
    }
  }
  return (
    ground(sky) +
    `<g transform="translate(${centreX} 0) scale(${variant === 0 ? 1 : 1.7}) translate(-${centreX} 0)">` +
    flags.map((flag, i) => path(flag, fill(colours[i] ?? sky))).join('') +
    path(ropes, stroke(paper, 6)) +
    '</g>' +
    label(186, paper) +
    dashedRing(165, colours[0] ?? sky, { count: 18, lineWidth: 16, lineLength: 0 })
  );
}
