/** The messages of a stream: the state of an event, and the changes from one state to the next. */
import { hash } from 'node:crypto';
import { mapInTurns } from '#base';
import { serializerOf } from '../../http/serialization.ts';
import { formatItemId } from '../../lib/ids.ts';
import { serializeItem } from '../items/item-serializer.ts';
import type { LiveRow } from './repo.ts';
import { LiveCounts, LiveEvent } from './schemas.ts';

// The serializers leave out the fields of a row that the schemas do not declare.
const json = { counts: serializerOf(LiveCounts), event: serializerOf(LiveEvent) };

/**
 * The state of an event, which is the same for all subscribers. Each part is serialized: parts are equal if
 * their JSON texts are equal.
 */
export type LiveState = {
  /** A hash of the snapshot, which is the same on every server. */
  id: string;
  event: string;
  counts: string;
  /** The JSON of each item by the item's id, in the order in which the items were added. */
  items: Map<string, string>;
  snapshot: string;
  /** The snapshot message; null until the first subscriber needs it. */
  snapshotMessage: Buffer | null;
};

/** Serializes the items in turns: 500 items with 1 MiB of text take more than 10 ms. */
export async function toState(row: LiveRow): Promise<LiveState> {
  const event = json.event(row);
  const counts = json.counts(row);
  const entries = await mapInTurns(row.items ?? [], (item) => {
    const itemRow = { ...item, eventId: row.id };
    return [formatItemId(itemRow), serializeItem(itemRow)] as const;
  });
  const items = new Map(entries);
  // Composed of the parts, so that an item is serialized once. Its schema is `LiveSnapshot`.
  const snapshot = `{"event":${event},"counts":${counts},"items":[${[...items.values()].join(',')}]}`;
  return {
    id: hash('sha256', snapshot, 'base64url').slice(0, 16),
    event,
    counts,
    items,
    snapshot,
    snapshotMessage: null,
  };
}

type Message = { event: string; data: string };

/** Serialized JSON has no line breaks, so the data of a message is one line. */
const format = ({ event, data }: Message, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;

export function snapshotMessage(state: LiveState): Buffer {
  state.snapshotMessage ??= Buffer.from(format({ event: 'snapshot', data: state.snapshot }, state.id));
  return state.snapshotMessage;
}

export const goneMessage = (code: string): string =>
  format({ event: 'gone', data: JSON.stringify({ code }) });

/**
 * The delay, 1 to 3 s, after which a client reconnects. It is random so that clients do not reconnect
 * together.
 */
export const retryHint = (): string => `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`;

/** A comment line, which prevents proxies from closing a silent connection. */
export const heartbeat = ':\n\n';

/**
 * The messages that lead from `before` to `after`; empty if the states are equal. Only the last message has
 * an id, so a client that loses the connection before that message resumes from `before`.
 */
export function changeMessages(before: LiveState, after: LiveState): string {
  const messages: Message[] = [];
  if (after.event !== before.event) messages.push({ event: 'event', data: after.event });
  if (after.counts !== before.counts) messages.push({ event: 'counts', data: after.counts });
  for (const id of before.items.keys()) {
    if (!after.items.has(id)) messages.push({ event: 'itemRemoved', data: JSON.stringify({ id }) });
  }
  for (const [id, data] of after.items) {
    if (data !== before.items.get(id)) messages.push({ event: 'item', data });
  }
  const last = messages.length - 1;
  return messages.map((message, i) => format(message, i === last ? after.id : undefined)).join('');
}
