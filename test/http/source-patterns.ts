/** Finds the regular expressions of the product: the literals of the source files, and the patterns of schemas. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'svelte/compiler';
import { parseAst } from 'vite';

/** `at`: the file, or the examples of the schema. */
export type SourcePattern = { at: string; expression: RegExp };

const root = path.join(import.meta.dirname, '..', '..');
const sources = ['packages/**/*.ts', 'src/**/*.ts', 'client/src/**/*.ts', 'web/src/**/*.{ts,svelte}'];
/** Tests, and files that a build writes. */
const excluded = /\.test\.ts$|\.d\.ts$|\/generated\//;

export function readLiterals(): SourcePattern[] {
  const files = globSync(sources, { cwd: root }).filter((file) => !excluded.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const tree = file.endsWith('.ts') ? parseAst(text, { lang: 'ts' }) : parse(text, { modern: true });
    return [...objectsIn(tree)].flatMap(({ regex }) => {
      if (!isLiteral(regex)) return [];
      return [{ at: file, expression: new RegExp(regex.pattern, regex.flags) }];
    });
  });
}

/** The patterns of a JSON Schema. Ajv compiles them with the flag `u`. */
export const patternsIn = (schema: unknown): SourcePattern[] =>
  [...objectsIn(schema)].flatMap(({ pattern, examples }) =>
    typeof pattern === 'string'
      ? [{ at: `pattern beside ${examples}`, expression: new RegExp(pattern, 'u') }]
      : [],
  );

type Literal = { pattern: string; flags: string };

const isLiteral = (value: unknown): value is Literal =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;

/** All objects below a value, and the value itself. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const each of Object.values(value)) yield* objectsIn(each);
}
