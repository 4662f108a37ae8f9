/** What has changed for the authors of clients since the first release, from CHANGELOG.md and the files of changes/. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..', '..');
const reader = 'Client authors';

/** Lines of Markdown, the newest section first. A release has CHANGELOG.md alone, which then has all changes. */
export function readApiChanges(): string[] {
  const directory = path.join(root, 'changes');
  const files = existsSync(directory) ? readdirSync(directory).sort() : [];
  const texts = files.filter((file) => file !== 'README.md').map((file) => readText('changes', file));
  return [...sectionsOf(readText('CHANGELOG.md')), ...texts.flatMap(paragraphsOf)].map(withoutLinks);
}

/** Empty where the file is not installed. */
function readText(...names: string[]): string {
  const file = path.join(root, ...names);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The lists for the reader of all versions but the first, which has no changes. */
const sectionsOf = (changelog: string): string[] =>
  changelog
    .split(/^## 0\.1\.0 /m, 1)
    .join()
    .split(/^(?=##)/m)
    .filter((section) => section.startsWith(`### ${reader}\n`))
    .flatMap((section) => section.match(/^- .*$/gm) ?? []);

const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.startsWith(`${reader}: `))
    .map(
      (paragraph) =>
        `- ${paragraph
          .slice(reader.length + 2)
          .split('\n')
          .map((line) => line.trim())
          .join(' ')
          .trim()}`,
    );

/** Links lead to files of the repository, which a reader of the document does not have. */
const withoutLinks = (line: string): string => line.replace(/\[([^[\]]{0,200})\]\([^()]{0,200}\)/g, '$1');
