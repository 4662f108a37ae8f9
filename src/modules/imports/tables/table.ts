/** A table with the meaning of its columns. */
import type { Columns, Field } from './column-names.ts';
import type { DateOrder } from './date-text.ts';
import type { Row } from './split-rows.ts';

export type Table = {
  headings: string[];
  columns: Columns;
  rows: Row[];
  /** The lines of rows that cannot be split; `isCut`: whether what is behind the last one was not read. */
  broken: number[];
  isCut: boolean;
};

/** A row, by the fields of its columns. */
export class Cells {
  readonly line: number;
  readonly #row: Row;
  readonly #table: Table;
  readonly #orders: ReadonlyMap<number, DateOrder>;

  constructor(row: Row, table: Table, orders: ReadonlyMap<number, DateOrder>) {
    this.line = row.line;
    [this.#row, this.#table, this.#orders] = [row, table, orders];
  }

  /** Empty without the column. */
  text(field: Field): string {
    return (this.#row.cells[this.#table.columns.get(field) ?? -1] ?? '').trim();
  }

  /** Names the column as the table does. */
  heading(field: Field): string {
    return this.#table.headings[this.#table.columns.get(field) ?? -1]?.trim() ?? field;
  }

  /** Of dates without an order of their own. */
  order(field: Field): DateOrder {
    return this.#orders.get(this.#table.columns.get(field) ?? -1) ?? 'dayFirst';
  }
}
