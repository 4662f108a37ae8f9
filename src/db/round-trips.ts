/**
 * Runs the statements of transactions on a connection of the driver. Statements that are sent in one turn of the event loop
 * make one round trip: a single Sync message ends them, so PostgreSQL sends their results together. The driver by itself ends
 * each statement with a Sync, after which PostgreSQL sends the result and wakes the server.
 */
import type pg from 'pg';
import { type PreparedStatement, prepare } from './parameters.ts';
import { camelCase, type Result, type Row } from './query.ts';
import type { RenderedStatement } from './sql.ts';

type Column = { name: string; parse: (text: string) => unknown };
type Values = (string | null)[];

type Pending = PromiseWithResolvers<void> &
  PreparedStatement & {
    columns: Column[];
    rows: Values[];
    /** The command tag, such as `UPDATE 3`. */
    tag: string;
  };

/** The columns of the prepared statements of a connection, by name: PostgreSQL describes them once. */
type Prepared = Map<string, Column[]>;

/** The round trips of a connection, of which one runs at a time. */
export class RoundTrips {
  readonly #client: pg.ClientBase;
  readonly #prepared: Prepared = new Map();
  #next: Pending[] = [];
  #isRunning = false;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /**
   * Runs a statement. If it fails, so do the statements that follow in its round trip, with the same error.
   * @throws pg.DatabaseError; the driver's error if the connection is lost
   */
  async run(statement: RenderedStatement): Promise<Result> {
    const pending: Pending = {
      ...Promise.withResolvers<void>(),
      ...prepare(statement),
      columns: [],
      rows: [],
      tag: '',
    };
    this.#next.push(pending);
    if (this.#next.length === 1) process.nextTick(() => this.#send());
    await pending.promise;
    return resultOf(pending);
  }

  #send(): void {
    if (this.#isRunning || this.#next.length === 0) return;
    const statements = this.#next;
    this.#next = [];
    this.#isRunning = true;
    this.#client.query(new RoundTrip(this.#client, statements, this.#prepared, () => this.#end()));
  }

  #end(): void {
    this.#isRunning = false;
    this.#send();
  }
}

/** The driver calls the methods, as it does those of its own queries. */
class RoundTrip implements pg.Submittable {
  readonly #client: pg.ClientBase;
  readonly #statements: Pending[];
  readonly #prepared: Prepared;
  readonly #onEnd: () => void;
  #completed = 0;

  constructor(client: pg.ClientBase, statements: Pending[], prepared: Prepared, onEnd: () => void) {
    this.#client = client;
    this.#statements = statements;
    this.#prepared = prepared;
    this.#onEnd = onEnd;
  }

  submit(connection: pg.Connection): void {
    const parsed = new Set<string>();
    connection.stream.cork();
    for (const { name, text, values } of this.#statements) {
      const isKnown = name !== '' && (this.#prepared.has(name) || parsed.has(name));
      if (!isKnown) {
        // It may exist: an earlier round trip may have failed after it was parsed.
        if (name) connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
        parsed.add(name);
      }
      connection.bind({ statement: name, values }, true);
      if (!isKnown) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  get #current(): Pending {
    // PostgreSQL sends nothing but what was asked for.
    return this.#statements[this.#completed] as Pending;
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#current.columns = fields.map(({ name, dataTypeID }) => ({
      name: camelCase(name),
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { fields: Values }): void {
    this.#current.rows.push(fields);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const statement = this.#current;
    statement.tag = text;
    const known = this.#prepared.get(statement.name);
    if (known) statement.columns = known;
    else if (statement.name) this.#prepared.set(statement.name, statement.columns);
    this.#completed++;
  }

  handleReadyForQuery(): void {
    this.#settle();
  }

  /** The driver calls no other method after it. */
  handleError(error: Error): void {
    this.#settle();
    for (const { reject } of this.#statements.slice(this.#completed)) reject(error);
  }

  #settle(): void {
    for (const { resolve } of this.#statements.slice(0, this.#completed)) resolve();
    this.#onEnd();
  }
}

function resultOf({ columns, rows, tag }: Pending): Result {
  const [command = '', ...numbers] = tag.split(' ');
  return {
    rows: rows.map((values) => rowOf(columns, values)),
    affected: Number(numbers.at(-1) ?? 0) || 0,
    command,
  };
}

function rowOf(columns: Column[], values: Values): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    const { name, parse } = columns[i] as Column;
    const value = values[i] ?? null;
    row[name] = value === null ? null : parse(value);
  }
  return row;
}
