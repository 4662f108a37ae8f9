/** Writes the lengths of the texts that the API accepts, by the names of their fields, for the reader of forms (read-fields.ts). */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readDocument } from '../client/build.ts';
import { type Document, resolve, type Schema } from '../client/openapi.ts';

const output = path.join(import.meta.dirname, 'src', 'lib', 'generated', 'field-limits.ts');

export async function writeFieldLimits(): Promise<void> {
  const limits = Object.entries(limitsOf(await readDocument())).sort(([a], [b]) => (a < b ? -1 : 1));
  const text =
    '/** In characters: the longest text that an operation of the API accepts for a field of this name. */\n' +
    `export const fieldLimits: Record<string, number> = ${JSON.stringify(Object.fromEntries(limits), null, 2)};\n`;
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(output, text);
}

/** The longest texts of the bodies and the queries of all operations, by name. */
function limitsOf(document: Document): Record<string, number> {
  const limits: Record<string, number> = {};
  const seen = new Set<Schema>();

  function visit(found: Schema | undefined, name: string | null): void {
    const schema = found && resolve(document, found);
    if (!schema) return;
    if (name !== null && schema.maxLength !== undefined)
      limits[name] = Math.max(limits[name] ?? 0, schema.maxLength);
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const [property, of] of Object.entries(schema.properties ?? {})) visit(of, property);
    for (const one of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(one, name);
    visit(schema.items, name);
  }

  for (const { parameters = [], requestBody } of Object.values(document.paths).flatMap((path) =>
    Object.values(path),
  )) {
    for (const parameter of parameters) if (parameter.in === 'query') visit(parameter.schema, parameter.name);
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, null);
  }
  return limits;
}
