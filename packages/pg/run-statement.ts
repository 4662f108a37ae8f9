/** Runs statements on a connection of the driver: sends parameters in PostgreSQL's text form, and turns results into rows. */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { streamOf } from '#patches';
import { activeTracer, span } from '#telemetry';
import type { Result, Row } from './queryable.ts';
import type { RenderedStatement } from './sql.ts';
import { summaryOf } from './statement-summary.ts';

/**
 * The connection broke. Whether the statement took effect is unknown. `code` is that of the cause, if it has
 * one.
 */
export class ConnectionLostError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super('The connection to PostgreSQL is lost', { cause });
    this.code = (cause as { code?: string } | null)?.code ?? 'CONNECTION_LOST';
  }
}

/** `stream`: null before the first statement. `pending`: the statements that have no result yet. */
type ClientState = { isLost: boolean; pending: number; stream: Duplex | null };

const states = new WeakMap<pg.ClientBase, ClientState>();

const stateOf = (client: pg.ClientBase): ClientState =>
  states.getOrInsertComputed(client, () => ({ isLost: false, pending: 0, stream: null }));

/** Remembers when `client` loses its connection. Without a listener, the error would end the process. */
export function trackLoss(client: pg.ClientBase): void {
  const lose = () => {
    stateOf(client).isLost = true;
  };
  client.on('error', lose);
  client.on('end', lose);
}

export const isLost = (client: pg.ClientBase): boolean => stateOf(client).isLost;

/** Whether PostgreSQL owes the client a result. */
export const hasPendingStatements = (client: pg.ClientBase): boolean => stateOf(client).pending > 0;

/**
 * Runs a statement. With parameters it is prepared once for each connection.
 * @throws ConnectionLostError if the connection is lost; pg.DatabaseError
 */
export function runStatement<R extends object>(
  client: pg.ClientBase,
  statement: RenderedStatement,
): Promise<Result<R>> {
  if (!activeTracer()) return send(client, statement);
  const summary = summaryOf(statement);
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return span(summary, { kind: 'client', attributes }, () => send(client, statement));
}

async function send<R extends object>(
  client: pg.ClientBase,
  statement: RenderedStatement,
): Promise<Result<R>> {
  const state = stateOf(client);
  state.pending++;
  try {
    const { name, text, values } = prepare(statement);
    // The client is connected, so TLS has replaced the stream if it is to.
    state.stream ??= streamOf(client as pg.Client);
    corkUntilNextTick(state.stream);
    const result: pg.QueryArrayResult | pg.QueryArrayResult[] = await client.query({
      text,
      rowMode: 'array',
      ...(name && { name, values }),
    });
    // Several statements in one text return a result for each of them.
    if (Array.isArray(result)) return { rows: result.flatMap(toRows<R>), affected: 0, command: '' };
    return { rows: toRows<R>(result), affected: result.rowCount ?? 0, command: result.command };
  } catch (error) {
    throw !(error instanceof pg.DatabaseError) && state.isLost ? new ConnectionLostError(error) : error;
  } finally {
    state.pending--;
  }
}

/**
 * Holds back what is written to the socket until the end of this turn: the statements that are sent in one turn share one
 * system call, and wake PostgreSQL once.
 */
function corkUntilNextTick(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

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

/**
 * A time as PostgreSQL writes it. Sessions are in UTC, so nearly each has the same form, which this reads in a third of the
 * time that V8's parser takes.
 */
export function parseTime(text: string): Date {
  // Years from 1000 to 9999: a longer year has a digit in place of the first hyphen.
  if (text[0] === '0' || text[4] !== '-' || !text.endsWith('+00')) return parseAnyTime(text);
  const two = (at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * 48;
  let ms = 0;
  for (let at = 20, unit = 100; unit >= 1 && at < text.length - 3; at++, unit /= 10)
    ms += (text.charCodeAt(at) - 48) * unit;
  return new Date(Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), ms));
}
const { TIMESTAMPTZ } = pg.types.builtins;
const parseAnyTime: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);
pg.types.setTypeParser(TIMESTAMPTZ, parseTime);

const columnNames = new Map<string, string>();

const camelCase = (column: string): string => columnNames.getOrInsertComputed(column, toCamelCase);

const toCamelCase = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function toRows<R extends object>({ rows, fields }: pg.QueryArrayResult): R[] {
  const names = fields.map(({ name }) => camelCase(name));
  return rows.map((values) => {
    const row: Row = {};
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i];
    return row as R;
  });
}
