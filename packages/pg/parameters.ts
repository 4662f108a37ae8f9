/** Prepares statements for the driver: names, and parameters in PostgreSQL's text form. */
import type { RenderedStatement } from './sql.ts';

/** A parameter as text, or bytes, which are sent in binary form. */
export type Parameter = string | Buffer | null;

/** `name`: empty for a statement without parameters, which is not kept as a prepared statement. */
export type PreparedStatement = { name: string; text: string; values: Parameter[] };

/** By text. The texts are those of the source code, so their number is bounded. */
const names = new Map<string, string>();

/** @throws RangeError if a parameter is an invalid Date */
export function prepare({ text, values }: RenderedStatement): PreparedStatement {
  if (values.length === 0) return { name: '', text, values: [] };
  const name = names.getOrInsert(text, `s${names.size}`);
  return { name, text, values: values.map(parameterOf) };
}

/** An array becomes the text of a PostgreSQL array, another object JSON. @throws RangeError for an invalid Date */
export function parameterOf(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return arrayText(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Most arrays are ids. Strings that need no escaping are joined at once, in half of the instructions. */
function arrayText(values: unknown[]): string {
  if (values.length > 0 && values.every((value) => typeof value === 'string')) {
    const text = values.join('');
    if (!text.includes('"') && !text.includes('\\')) return `{"${values.join('","')}"}`;
  }
  return `{${values.map(elementText).join()}}`;
}

function elementText(value: unknown): string {
  if (Array.isArray(value)) return arrayText(value);
  const text = parameterOf(value);
  if (text === null) return 'NULL';
  if (typeof text !== 'string') return `"\\\\x${text.toString('hex')}"`;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
