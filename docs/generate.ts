/** Writes the generated parts of the documentation: `npm run docs`. `test/docs.test.ts` compares them. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LOCK_ORDER } from '../src/db/locks.ts';

export const architectureFile = path.join(import.meta.dirname, 'architecture.md');

const begin = '<!-- lock order: generated from src/db/locks.ts by `npm run docs` -->';
const end = '<!-- end of lock order -->';

const lockOrder = (): string =>
  `Transactions lock tables in this order, and the rows of a table in ascending order of the key: ` +
  `${LOCK_ORDER.map((table) => `\`${table}\``).join(', ')}.`;

/**
 * Returns the text of docs/architecture.md with the current lock order.
 * @throws Error if the text does not contain the two marker comments
 */
export function generateArchitecture(text: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error('architecture.md has no markers for the lock order');
  return `${text.slice(0, from + begin.length)}\n${lockOrder()}\n${text.slice(to)}`;
}

if (import.meta.main) {
  await writeFile(architectureFile, generateArchitecture(await readFile(architectureFile, 'utf8')));
}
