/** Reads docs/specification.md: its sections, and the fields in the tables of its records. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** `type` and `content`: the second and the third column, such as `string or null` and `the URL of a picture`. */
export type RecordField = { name: string; type: string; content: string };
export type Section = { title: string; text: string };

const file = path.join(import.meta.dirname, '..', '..', 'docs', 'specification.md');

/** The sections by their numbers. A section does not contain its subsections. */
export function readSections(): Map<string, Section> {
  const parts = readFileSync(file, 'utf8')
    .split(/^#{2,3} (?=\d)/m)
    .slice(1);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const [section = '', ...title] = heading.split(' ');
      return [section, { title: title.join(' '), text: lines.join('\n') }];
    }),
  );
}

/** The fields of each table of a section whose first column is `field`, in their order. */
export const fieldTablesOf = ({ text }: Section): RecordField[][] =>
  text
    .split('\n\n')
    .map((block) => block.trim())
    .filter((block) => block.startsWith('| field |'))
    .map((table) =>
      table
        .split('\n')
        .slice(2)
        .map((line) => {
          const [, name = '', type = '', ...content] = line.split('|').map((cell) => cell.trim());
          return { name: name.replaceAll('`', ''), type, content: content.join('|') };
        }),
    );
