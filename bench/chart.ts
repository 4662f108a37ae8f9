/**
 * `node bench/chart.ts FILE.json OUT.svg`: draws the results of `npm run bench -- --json FILE.json` as bars
 * on a logarithmic scale. The colours are readable on light and dark pages.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Result } from './run/report.ts';

const width = 900;
const left = 230;
const right = 70;
const top = 64;
const barHeight = 8;
const gap = 12;
const grey = '#7d8590';
/** The axis covers 1 to 10^5 requests a second. */
const maxDigits = 5;

type Series = { name: string; colour: string; of(result: Result): number | null };

const series: Series[] = [
  { name: 'Potluck', colour: '#e8590c', of: ({ app }) => app?.rps ?? null },
  { name: 'SQL alone (pgbench)', colour: '#4c8bd6', of: ({ limits }) => limits.pgbench },
  { name: 'bare node:http', colour: '#8f8f9a', of: ({ limits }) => limits.bareNode },
  { name: 'best peer', colour: '#2f9e6e', of: peerRate },
];

function peerRate({ app, ratios }: Result): number | null {
  return app && ratios.bestPeer ? app.rps / ratios.bestPeer : null;
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const x = (rate: number) => left + (Math.log10(Math.max(rate, 1)) / maxDigits) * (width - left - right);

type Attributes = Record<string, string | number>;

function label(text: string, at: { x: number; y: number }, attributes: Attributes = {}): string {
  const all = Object.entries({ ...at, fill: grey, ...attributes }).map(
    ([name, value]) => `${name}="${value}"`,
  );
  return `<text ${all.join(' ')}>${escapeXml(text)}</text>`;
}

function axis(height: number): string[] {
  return Array.from({ length: maxDigits + 1 }, (_, digits) => {
    const at = x(10 ** digits);
    const line = `<line x1="${at}" x2="${at}" y1="${top - 8}" y2="${height - 10}" stroke="${grey}" stroke-opacity=".3"/>`;
    return (
      line + label((10 ** digits).toLocaleString('en'), { x: at, y: top - 14 }, { 'text-anchor': 'middle' })
    );
  });
}

function legend(): string[] {
  return series.map(({ name, colour }, i) => {
    const at = left + i * 150;
    const square = `<rect x="${at}" y="14" width="10" height="10" fill="${colour}"/>`;
    return square + label(name, { x: at + 15, y: 23 });
  });
}

/** @param y the top of the item's bars */
function group(result: Result, y: number): string[] {
  const name = `${result.item} ${result.variant}`;
  const middle = y + (series.length * barHeight) / 2 + 4;
  const bars = series.map(({ colour, of }, i) => {
    const rate = of(result);
    if (rate === null) return '';
    const at = y + i * barHeight;
    const shape = `<rect x="${left}" y="${at}" width="${(x(rate) - left).toFixed(1)}" height="${barHeight - 1}" fill="${colour}"/>`;
    const value = Math.round(rate).toLocaleString('en');
    return shape + label(value, { x: Math.round(x(rate)) + 5, y: at + barHeight - 1 }, { 'font-size': 9 });
  });
  const failure = result.app ? [] : [label('failed', { x: left + 5, y: y + barHeight }, { 'font-size': 9 })];
  return [label(name, { x: left - 10, y: middle }, { 'text-anchor': 'end' }), ...bars, ...failure];
}

export function drawChart(results: Result[]): string {
  const step = series.length * barHeight + gap;
  const height = top + results.length * step + 10;
  const parts = [
    label('requests a second, logarithmic', { x: 10, y: 23 }),
    ...legend(),
    ...axis(height),
    ...results.flatMap((result, i) => group(result, top + i * step)),
  ];
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const font = 'font-family="system-ui, sans-serif" font-size="12"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} ${font}>\n<title>Requests a second by work item: Potluck, SQL alone, bare Node and the best peer</title>\n${parts.filter(Boolean).join('\n')}\n</svg>\n`;
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  if (!from || !to) {
    console.error('Usage: node bench/chart.ts FILE.json OUT.svg');
    process.exitCode = 1;
  } else {
    await writeFile(to, drawChart(JSON.parse(await readFile(from, 'utf8')) as Result[]));
  }
}
