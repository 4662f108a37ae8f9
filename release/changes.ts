/** `npm run release:changes -- VERSION`: moves what is unreleased, and the files of `changes/`, to a section of CHANGELOG.md. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
export const changesDirectory = path.join(root, 'changes');

/** Whom a change concerns, in the order of the changelog. */
export const readers = ['Guests', 'Organizers', 'Admins', 'Operators', 'Client authors'] as const;
type Reader = (typeof readers)[number];

/** A change: its reader and a paragraph of Markdown. */
export type Change = { reader: Reader; text: string };

const unreleased = '## Unreleased\n';

/**
 * Reads a file of `changes/`: paragraphs that begin with a reader and a colon.
 * @throws Error that names the file and a paragraph without a reader
 */
export function parseChanges(file: string, text: string): Change[] {
  const paragraphs = text.trim().split(/\n\s*\n/);
  return paragraphs.map((paragraph) => {
    const reader = readers.find((name) => paragraph.startsWith(`${name}: `));
    if (!reader)
      throw new Error(
        `${file}: a paragraph begins with none of ${readers.map((name) => `"${name}: "`).join(', ')}: ${paragraph}`,
      );
    return { reader, text: paragraph.slice(reader.length + 2).replace(/\s*\n\s*/g, ' ') };
  });
}

/** Reads the files of a directory, in the order of their names. README.md is no change. */
export async function readChanges(directory: string): Promise<{ file: string; changes: Change[] }[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return Promise.all(
    names.sort().map(async (name) => {
      const file = path.join(directory, name);
      return { file, changes: parseChanges(name, await readFile(file, 'utf8')) };
    }),
  );
}

/**
 * Returns the changelog with a section for the version: what was unreleased, and then the changes, by their readers. An empty
 * section for what is unreleased stands above it.
 * @param date in ISO 8601
 * @throws Error if the changelog has the version already, if it has no section for what is unreleased, or if nothing changed
 */
export function joinChanges(
  changelog: string,
  changes: Change[],
  release: { version: string; date: string },
): string {
  const heading = `## ${release.version} - ${release.date}`;
  if (changelog.includes(`\n## ${release.version} `))
    throw new Error(`CHANGELOG.md has ${release.version} already.`);
  const [before, rest] = splitOnce(changelog, unreleased);
  const end = rest.search(/^## /m);
  const [body, older] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
  // Text above the first reader is about all of them.
  const [forAll = '', ...groups] = body.trim().split(/^### /m);
  const present = new Map(
    groups.map((group): [string, string] => {
      const [name, text] = splitOnce(group, '\n');
      return [name.trim(), text.trim()];
    }),
  );
  for (const { reader, text } of changes)
    present.set(reader, [present.get(reader), `- ${text}`].filter(Boolean).join('\n'));
  const names = [...new Set<string>([...readers, ...present.keys()])].filter((name) => present.has(name));
  const parts = [forAll.trim(), ...names.map((name) => `### ${name}\n\n${present.get(name)}`)].filter(
    Boolean,
  );
  if (parts.length === 0) throw new Error('Neither CHANGELOG.md nor changes/ has a change.');
  return `${before}${unreleased}\n${[heading, ...parts].join('\n\n')}\n\n${older}`.trimEnd().concat('\n');
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`CHANGELOG.md lacks "${separator.trim() || 'a line break after a heading'}"`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the version: npm run release:changes -- 0.2.0');
  const files = await readChanges(changesDirectory);
  const changelog = path.join(root, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  const changes = files.flatMap((file) => file.changes);
  await writeFile(changelog, joinChanges(await readFile(changelog, 'utf8'), changes, { version, date }));
  for (const { file } of files) await rm(file);
}
