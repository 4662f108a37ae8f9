/** Identifiers: UUIDv7 for everything but items, whose id is `<event id>.<n>`. */
import { randomUUIDv7 } from 'node:crypto';
import { Problem, type ProblemCode } from './errors.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Sorts by time of creation. */
export const newId = (): string => randomUUIDv7();

/** As of a given moment, for what has to sort in an order that clocks alone would not give. */
export function newIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
}

/** Gives the id in small letters. @throws Problem with `unknown`: an id that is not well formed is simply unknown. */
export function readId(text: string, unknown: ProblemCode): string {
  if (!uuid.test(text)) throw new Problem(unknown);
  return text.toLowerCase();
}

/** The two parts of an item's id; the first names its event. */
export type ItemId = { eventId: string; n: number };

/** @throws Problem `item_not_found` */
export function readItemId(text: string): ItemId {
  const [event = '', n = '', ...rest] = text.split('.');
  if (rest.length > 0 || !/^[1-9]\d{0,8}$/.test(n)) throw new Problem('item_not_found');
  return { eventId: readId(event, 'item_not_found'), n: Number(n) };
}

export const formatItemId = ({ eventId, n }: ItemId): string => `${eventId}.${n}`;
