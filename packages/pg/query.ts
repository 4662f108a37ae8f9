/** Runs statements on a connection of the driver and turns the results into rows. */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { activeTracer, span } from '#telemetry';
import { prepare } from './parameters.ts';
import type { RenderedStatement, Statement } from './sql.ts';
import { summaryOf } from './statement-summary.ts';

export type Row = Record<string, unknown>;

/** Runs statements: a database, a transaction or a single connection. */
export type Queryable = {
  /**
   * Column names in the returned rows are in camelCase.
   * @throws pg.DatabaseError for an error that PostgreSQL reports; ConnectionLostError
   */
  query<R extends object = Row>(statement: Statement): Promise<R[]>;
  /**
   * Runs a statement that returns no rows. Returns the number of rows that it affected. @throws as `query`
   */
  execute(statement: Statement): Promise<number>;
};

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

const lostClients = new WeakSet<pg.ClientBase>();

/** Remembers when `client` loses its connection. Without a listener, the error would end the process. */
export function trackLoss(client: pg.ClientBase): void {
  client.on('error', () => lostClients.add(client));
  client.on('end', () => lostClients.add(client));
}

export const isLost = (client: pg.ClientBase): boolean => lostClients.has(client);

/** The statements of each client that have no result yet. */
const pendingCounts = new WeakMap<pg.ClientBase, number>();

/** Whether PostgreSQL owes the client a result. */
export const hasPendingStatements = (client: pg.ClientBase): boolean => (pendingCounts.get(client) ?? 0) > 0;

const countPending = (client: pg.ClientBase, change: 1 | -1): void => {
  pendingCounts.set(client, (pendingCounts.get(client) ?? 0) + change);
};

/**
 * Holds back what is written to the socket until the end of this turn: the statements that are sent in one turn share one
 * system call, and wake PostgreSQL once.
 */
function corkUntilNextTick(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** `affected`: the number of rows. `command`: the command tag without numbers, such as `COMMIT`. */
export type Result<R extends object = Row> = { rows: R[]; affected: number; command: string };

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
  countPending(client, 1);
  try {
    const { name, text, values } = prepare(statement);
    corkUntilNextTick((client as pg.Client).connection.stream);
    const result: pg.QueryArrayResult | pg.QueryArrayResult[] = await client.query({
      text,
      rowMode: 'array',
      ...(name && { name, values }),
    });
    // Several statements in one text return a result for each of them.
    if (Array.isArray(result)) return { rows: result.flatMap(toRows<R>), affected: 0, command: '' };
    return { rows: toRows<R>(result), affected: result.rowCount ?? 0, command: result.command };
  } catch (error) {
    throw !(error instanceof pg.DatabaseError) && isLost(client) ? new ConnectionLostError(error) : error;
  } finally {
    countPending(client, -1);
  }
}

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

/** Rows in the order of what they were selected for: row `nth`, which counts from 1, or undefined. */
export function byPosition<R extends { nth: number }>(rows: R[], length: number): (R | undefined)[] {
  const found = Array<R | undefined>(length).fill(undefined);
  for (const row of rows) found[row.nth - 1] = row;
  return found;
}

/** The only row of a result. @throws Error if there is none or more than one */
export function one<R>(rows: R[]): R {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
