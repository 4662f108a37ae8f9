/** The bounds of what entries say: those of the fields of events. */
import { eventFields } from '../events/event-fields.ts';

export const limits = {
  title: boundOf(eventFields.title.input, 'maxLength'),
  description: boundOf(eventFields.description.input, 'maxLength'),
  address: boundOf(eventFields.address.input, 'maxLength'),
  price: boundOf(eventFields.price.input, 'maximum'),
};

function boundOf(schema: object, keyword: 'maxLength' | 'maximum'): number {
  return (schema as Partial<Record<typeof keyword, number>>)[keyword] ?? Number.POSITIVE_INFINITY;
}
