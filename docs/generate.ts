/** Writes the generated parts of the documentation: `npm run docs`. `test/documents/docs.test.ts` compares them. */
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '../src/lib/problem-catalogue.ts';
import { categories, templates } from '../src/modules/events/catalogue.ts';
import { coverThemes } from '../src/modules/events/covers/themes.ts';
import { adminKinds, kinds, notificationKinds, personKinds } from '../src/outbox/kinds.ts';
import { LOCK_ORDER } from '../src/schema/locks.ts';

/** A part of a document, between two marker comments. */
type Part = { file: string; name: string; source: string; text: string };

const source = path.join(import.meta.dirname, '..', 'src');

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

const lockOrder =
  'Transactions lock tables in this order, and the rows of a table in ascending order of the key: ' +
  `${codes(LOCK_ORDER)}.`;

function problemCodes(): string {
  const byStatus = Map.groupBy(Object.entries(catalogue), ([, { status }]) => status);
  const rows = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, problems]) => `| ${status} | ${codes(problems.map(([name]) => name))} |\n`);
  return `\n| status | codes |\n|---|---|\n${rows.join('')}`;
}

const kindRows = notificationKinds.map((kind) => {
  const { level, description } = kinds[kind];
  const is = (list: string[]): boolean => list.includes(kind);
  const about = is(personKinds) ? 'person' : is(adminKinds) ? 'server' : 'event';
  return `| ${code(kind)} | ${about} | ${code(level)} | ${description} |\n`;
});

const modulesFile = readFileSync(path.join(source, 'server', 'modules.ts'), 'utf8');

/** The folder of each module, by the name of its declaration. */
const moduleFolders = new Map(
  [...modulesFile.matchAll(/^import \{ (.+) \} from '\.\.\/modules\/(.+)\/index\.ts';$/gm)].flatMap(
    ([, names = '', folder = '']) => names.split(', ').map((name) => [name, folder] as const),
  ),
);

/** The modules by their folders, in the order of src/server/modules.ts. Of several modules of a folder, the first one. */
const modulesByFolder = Map.groupBy(
  [...modulesFile.matchAll(/^ {2}(\w+),$/gm)].map(([, name = '']) => name),
  (name) => moduleFolders.get(name),
);

/** Each folder with the comment on its module, the highest first. */
const moduleRows = [...modulesByFolder].toReversed().flatMap(([folder, [name]]) => {
  if (!folder) return [];
  const text = readFileSync(path.join(source, 'modules', folder, 'index.ts'), 'utf8');
  const [, comment] =
    new RegExp(`/\\*\\* (.+?)\\.? \\*/\\nexport const ${name} = defineModule`).exec(text) ?? [];
  if (!comment) throw new Error(`src/modules/${folder}/index.ts has no comment on ${name}`);
  return [`| ${code(folder)} | ${comment} |\n`];
});

const slugs = (elements: readonly { slug: string }[]): string => codes(elements.map(({ slug }) => slug));

export const generatedParts: Part[] = [
  {
    file: 'architecture.md',
    name: 'modules',
    source: 'src/server/modules.ts',
    text: `\n| module | content |\n|---|---|\n${moduleRows.join('')}`,
  },
  { file: 'architecture.md', name: 'lock order', source: 'src/schema/locks.ts', text: lockOrder },
  {
    file: 'specification.md',
    name: 'problem codes',
    source: 'src/lib/problem-catalogue.ts',
    text: problemCodes(),
  },
  {
    file: 'specification.md',
    name: 'categories and templates',
    source: 'src/modules/events/catalogue.ts',
    text: `\nCategories: ${slugs(categories)}.\n\nTemplates: ${slugs(templates)}.\n\nThemes of covers: ${codes(coverThemes)}.\n`,
  },
  {
    file: 'specification.md',
    name: 'kinds of notifications',
    source: 'src/outbox/kinds.ts',
    text: `\n| kind | about | default level | meaning |\n|---|---|---|---|\n${kindRows.join('')}`,
  },
];

export const readDocument = (file: string): Promise<string> =>
  readFile(path.join(import.meta.dirname, file), 'utf8');

/**
 * Returns the text of a document with the current text of one of its parts.
 * @throws Error if the document does not contain the two marker comments
 */
export function replacePart(document: string, { file, name, source, text }: Part): string {
  const begin = `<!-- ${name}: generated from ${source} by \`npm run docs\` -->`;
  const [from, to] = [document.indexOf(begin), document.indexOf(`<!-- end of ${name} -->`)];
  if (from < 0 || to < from) throw new Error(`${file} has no markers for the ${name}`);
  return `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`;
}

if (import.meta.main) {
  for (const part of generatedParts) {
    const document = replacePart(await readDocument(part.file), part);
    await writeFile(path.join(import.meta.dirname, part.file), document);
  }
}
