/** SQL statements as values: a template literal becomes text and parameters, and statements can be nested. */

/** Text with the placeholders `$1`, `$2`, …, and their values: what is sent to PostgreSQL. */
export type RenderedStatement = { text: string; values: unknown[] };

/** `isDistributed`: whether the tables of the database are distributed over the nodes of a cluster. */
type Build = (isDistributed: boolean) => Statement;

/** A part that differs for one PostgreSQL and for a cluster. Until a statement is rendered, it is one of its values. */
class Form {
  readonly build: Build;

  constructor(build: Build) {
    this.build = build;
  }
}

/** A statement, or a part of one. */
export class Statement {
  /** The SQL around the values: one string more than there are values. */
  readonly #strings: readonly string[];
  /** Parameters, and parts that become part of this statement. */
  readonly #values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings;
    this.#values = values;
  }

  /** Whether a part differs for a cluster. */
  get hasForms(): boolean {
    return this.#values.some(
      (value) => value instanceof Form || (value instanceof Statement && value.hasForms),
    );
  }

  /** @param isDistributed whether the tables of the database are distributed over the nodes of a cluster */
  render(isDistributed: boolean): RenderedStatement {
    const values: unknown[] = [];
    return { text: this.#renderTo(values, isDistributed), values };
  }

  #renderTo(parameters: unknown[], isDistributed: boolean): string {
    let text = this.#strings[0] ?? '';
    for (let i = 0; i < this.#values.length; i++) {
      const value = this.#values[i];
      const part = value instanceof Form ? value.build(isDistributed) : value;
      text +=
        part instanceof Statement ? part.#renderTo(parameters, isDistributed) : `$${parameters.push(part)}`;
      text += this.#strings[i + 1];
    }
    return text;
  }

  /** The text for one PostgreSQL. */
  get text(): string {
    return this.render(false).text;
  }
}

export const sql = (strings: TemplateStringsArray, ...values: unknown[]): Statement =>
  new Statement(strings, values);

/** SQL without parameters. It must come from the source code, never from a request. */
export const raw = (text: string): Statement => new Statement([text], []);

export const empty = raw('');

/** Values or parts, separated. @throws TypeError for none */
export function join(values: readonly unknown[], separator = ','): Statement {
  if (values.length === 0) throw new TypeError('there is nothing to join');
  return new Statement(['', ...Array<string>(values.length - 1).fill(separator), ''], values);
}

/** A part that differs for one PostgreSQL and for a cluster with Citus. For files of this folder. */
export const formOf = (build: Build): Statement => sql`${new Form(build)}`;

/**
 * `(a, b) values ($1, $2)` for a row. The column names must come from the source code, never from a request.
 */
export const insertValues = (row: Record<string, unknown>): Statement =>
  sql`(${join(Object.keys(row).map(raw))}) values (${join(Object.values(row))})`;

/**
 * `a = $1, b = $2` for columns to change. The column names must come from the source code, never from a
 * request.
 */
export const assignments = (row: Record<string, unknown>): Statement =>
  join(Object.entries(row).map(([column, value]) => sql`${raw(column)} = ${value}`));

/**
 * The condition that a column is one of the ids. PostgreSQL plans the prepared statement once: the planner does not look
 * into a subquery. Of a plain parameter it knows the length; it expects ten ids in the shared plan, and therefore plans the
 * statement again for each shorter array. Citus must know the ids. From the equation for a single id, it also concludes on
 * which node the rows of tables are that are joined by the column.
 */
export function isOneOf(column: Statement, ids: string[]): Statement {
  if (ids.length === 1) return sql`${column} = ${ids[0]}::uuid`;
  const array = sql`${ids}::uuid[]`;
  return sql`${column} = any(${formOf((isDistributed) => (isDistributed ? array : sql`(select ${array})::uuid[]`))})`;
}
