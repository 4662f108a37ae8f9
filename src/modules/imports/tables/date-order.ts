/** Which of the numbers in 3/4/2027 is the day: decided for a column, by its own values or by the person. */
import { mapInTurns } from '#base';
import { shorten } from '../../../lib/text.ts';
import { CalendarError } from '../calendar-error.ts';
import { type DateOrder, readDate } from './date-text.ts';

/** A question about a column. `example`: a date of it. */
export type Question = { id: string; column: string; example: string };
/** By the ids of questions. */
export type Answers = Partial<Record<string, DateOrder>>;

export const dateOrders = ['dayFirst', 'monthFirst'] as const satisfies DateOrder[];

type Cell = { line: number; text: string };
/** What the values of a column say of its order. */
type Evidence = Record<DateOrder, Cell | null> & { ambiguous: Cell | null };

/** A column with dates. `index`: its position in the table. */
export type DateColumn = { index: number; heading: string; cells: Cell[] };

/** By the positions of columns. A question is open if nothing decides. */
export type Orders = { orders: Map<number, DateOrder>; question: Question | null };

/**
 * Decides the order of each column. A column whose values do not decide has the order of the others; if none does, the person says it
 * for the first such column, and it holds for all: one program wrote them.
 * @throws CalendarError `date_order` for a column that has dates of both orders
 */
export async function decideOrders(columns: DateColumn[], answers: Answers): Promise<Orders> {
  const read: { column: DateColumn; evidence: Evidence }[] = [];
  for (const column of columns) read.push({ column, evidence: await evidenceOf(column) });
  const orders = new Map<number, DateOrder>();
  for (const { column, evidence } of read) {
    if (evidence.dayFirst && evidence.monthFirst) throw contradiction(column, evidence);
    if (evidence.dayFirst) orders.set(column.index, 'dayFirst');
    if (evidence.monthFirst) orders.set(column.index, 'monthFirst');
  }
  const open = read.find(({ column, evidence }) => evidence.ambiguous && !orders.has(column.index));
  if (!open?.evidence.ambiguous) return { orders, question: null };
  const others = new Set(orders.values());
  const [other = null] = others.size === 1 ? others : [];
  const id = String(open.column.index + 1);
  const order = other ?? answers[id];
  if (!order) {
    const { heading: column } = open.column;
    return { orders, question: { id, column, example: open.evidence.ambiguous.text } };
  }
  for (const { column } of read) if (!orders.has(column.index)) orders.set(column.index, order);
  return { orders, question: null };
}

async function evidenceOf({ cells }: DateColumn): Promise<Evidence> {
  const evidence: Evidence = { dayFirst: null, monthFirst: null, ambiguous: null };
  await mapInTurns(cells, (cell) => {
    const date = readDate(cell.text);
    if (!date) return;
    const { dayFirst, monthFirst } = date;
    if (dayFirst && !monthFirst) evidence.dayFirst ??= cell;
    else if (monthFirst && !dayFirst) evidence.monthFirst ??= cell;
    else if (dayFirst && monthFirst && !dayFirst.equals(monthFirst)) evidence.ambiguous ??= cell;
  });
  return evidence;
}

function contradiction({ heading }: DateColumn, { dayFirst, monthFirst }: Evidence): CalendarError {
  const quoted = (cell: Cell | null) => `"${shorten(cell?.text ?? '', 40)}" in line ${cell?.line}`;
  return new CalendarError(
    'date_order',
    `has dates with the day first (${quoted(dayFirst)}) and with the month first (${quoted(monthFirst)}) in the column "${shorten(heading, 60)}"`,
  );
}
