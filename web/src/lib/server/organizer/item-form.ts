/** The form of an item, and the claims that end with it. */
import { type AddItemData, type Client, listItemClaims, type ProblemError } from '@potluck/client';
import { type ActionFailure, fail } from '@sveltejs/kit';
import { m } from '#lib/messages/index.js';
import { type FormProblem, problemText, toFormProblem } from '#lib/server/problems.ts';
import { collect } from './collect.ts';
import { type FieldErrors, isWhole } from './event-form.ts';

export type ItemFormValues = {
  /** Empty for a new item. */
  id: string;
  title: string;
  kind: string;
  quantity: string;
  emoji: string;
  description: string;
  link: string;
};
export type ItemFormState = { values: ItemFormValues; problem: FormProblem };

export function readItemForm(form: FormData): ItemFormValues {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim().replaceAll('\r\n', '\n') : '';
  };
  return {
    id: text('id'),
    title: text('title'),
    kind: text('kind'),
    quantity: text('quantity'),
    emoji: text('emoji'),
    description: text('description'),
    link: text('link'),
  };
}

type ItemBody = Pick<AddItemData['body'], 'title' | 'quantityNeeded'>;

/** The required fields of an item, or texts by field. */
export function toItemBody({ title, quantity }: ItemFormValues): ItemBody | { fields: FieldErrors } {
  const fields: FieldErrors = {};
  if (title === '') fields.title = m.field_required();
  const quantityNeeded = Number(quantity);
  if (!isWhole(quantityNeeded, 1, 10_000)) fields.quantityNeeded = m.organizer_error_quantity();
  return Object.keys(fields).length > 0 ? { fields } : { title, quantityNeeded };
}

export const refuseItem = (values: ItemFormValues, fields: FieldErrors): ActionFailure<ItemFormState> =>
  fail(400, {
    values,
    problem: { code: 'invalid_request', message: problemText('invalid_request'), fields },
  });

/** A rule about one field is explained at that field. */
export function refuseItemFor(cause: ProblemError, values: ItemFormValues): ActionFailure<ItemFormState> {
  const problem = toFormProblem(cause);
  if (cause.code === 'quantity_below_claimed') problem.fields.quantityNeeded = problem.message;
  return fail(cause.status, { values, problem });
}

/** The number of people who bring an item, and how many of it. */
export async function countClaims(client: Client, id: string): Promise<{ people: number; quantity: number }> {
  const { rows } = await collect((query) => listItemClaims({ client, path: { id }, query }));
  return { people: rows.length, quantity: rows.reduce((sum, { quantity }) => sum + quantity, 0) };
}
