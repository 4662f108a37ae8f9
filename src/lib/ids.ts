/** Ids in requests: UUIDs, except of items, whose id is `<event id>.<n>`, and of comments, whose id is `<event id>.<UUID>`. */
import { parseId } from '#base';
import { Problem } from './errors.ts';
import type { ProblemCode } from './problem-catalogue.ts';

const itemId = /^([0-9a-f-]{36})\.([1-9]\d{0,8})$/i;

/** Returns the id in lower case. @throws Problem `code` as for an unknown id if the text is not a UUID */
export function readId(text: string, code: ProblemCode): string {
  const id = parseId(text);
  if (id === null) throw new Problem(code);
  return id;
}

/** An item's id: the id of its event, and its number within the event. */
export type ItemId = { eventId: string; n: number };

/** Null if the text is not the id of an item. */
export function parseItemId(text: string): ItemId | null {
  const [, event = '', n] = itemId.exec(text) ?? [];
  const eventId = parseId(event);
  return eventId === null ? null : { eventId, n: Number(n) };
}

/** @throws Problem `code` if the text is not the id of an item */
export function readItemId(text: string, code: ProblemCode = 'item_not_found'): ItemId {
  const item = parseItemId(text);
  if (item === null) throw new Problem(code);
  return item;
}

export const formatItemId = ({ eventId, n }: ItemId): string => `${eventId}.${n}`;

/** A comment's id: the id of its event, on whose node it is, and an id within the event. */
export type CommentId = { eventId: string; id: string };

/** @throws Problem `code` if the text is not the id of a comment */
export function readCommentId(text: string, code: ProblemCode = 'comment_not_found'): CommentId {
  const [event = '', own = '', ...rest] = text.split('.', 3);
  const [eventId, id] = [parseId(event), parseId(own)];
  if (eventId === null || id === null || rest.length > 0) throw new Problem(code);
  return { eventId, id };
}

export const formatCommentId = ({ eventId, id }: CommentId): string => `${eventId}.${id}`;
