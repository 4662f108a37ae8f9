/** The form of an item, and the claims that end with it. */
import { type AddItemData, type Client, deleteItem, isProblem, listItemClaims } from '@potluck/client';
import { isWhole } from '#lib/event/form/server/event-form.ts';
import type { FieldErrors } from '#lib/event/form/server/event-times.ts';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { collect } from '#lib/server/collect.ts';
import { InvalidFields } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

/** The values of the form. `id`: empty for a new item. */
export const readItemForm = (form: PageFields) =>
  texts(form, 'id', 'title', 'kind', 'quantity', 'emoji', 'description', 'link');

export type ItemFormValues = ReturnType<typeof readItemForm>;

/** The required fields of an item. @throws InvalidFields */
export function toItemBody({
  title,
  quantity,
}: Pick<ItemFormValues, 'title' | 'quantity'>): Pick<AddItemData['body'], 'title' | 'quantityNeeded'> {
  const fields: FieldErrors = {};
  if (title === '') fields.title = m.field_required();
  const quantityNeeded = Number(quantity);
  if (!isWhole(quantityNeeded, 1, 10_000)) fields.quantityNeeded = m.organizer_error_quantity();
  if (Object.keys(fields).length > 0) throw new InvalidFields(fields);
  return { title, quantityNeeded };
}

/** The number of people who bring an item, and how many of it. */
export async function countClaims(client: Client, id: string): Promise<{ people: number; quantity: number }> {
  const { rows } = await collect((query) => listItemClaims({ client, path: { id }, query }));
  return { people: rows.length, quantity: rows.reduce((sum, { quantity }) => sum + quantity, 0) };
}

/** Deletes an item, unless more people bring it than the organizer has been told. Returns whether it is deleted. */
export async function deleteUnlessClaimed(client: Client, id: string, confirmed: number): Promise<boolean> {
  try {
    if ((await countClaims(client, id)).people > confirmed) return false;
    await deleteItem({ client, path: { id } });
  } catch (cause) {
    // Another window has deleted it.
    if (!isProblem(cause, 'item_not_found')) throw cause;
  }
  return true;
}
