/** What listeners are told: the state of an event, and the messages that lead from one state to the next. */
import { hash } from 'node:crypto';
import fastJson, { type Schema } from 'fast-json-stringify';
import { toItem } from '../items/present.ts';
import { Item } from '../items/schemas.ts';
import type { LiveRow } from './repo.ts';
import { LiveCounts, LiveEvent, LiveSnapshot } from './schemas.ts';

// The schemas decide here as everywhere what may leave.
const shared = { schema: { Item, LiveCounts, LiveEvent } as Record<string, Schema> };
const json = {
  counts: fastJson(LiveCounts as Schema),
  event: fastJson(LiveEvent as Schema),
  item: fastJson(Item as Schema),
  snapshot: fastJson(LiveSnapshot as Schema, shared),
};

/** The same for everybody who may see the event. Each part is JSON, so that parts are compared as they leave. */
export type LiveState = {
  /** Of the whole; the same on every server. */
  id: string;
  event: string;
  counts: string;
  /** By id, in the order in which they were added. */
  items: Map<string, string>;
  snapshot: string;
  /** The message that says all of it, once it was needed; the same bytes for all who get it. */
  bytes: Buffer | null;
};

export function toState(row: LiveRow): LiveState {
  const event = {
    id: row.id,
    title: row.title,
    startAt: row.startAt.toISOString(),
    endAt: row.endAt.toISOString(),
    allDay: row.allDay,
    timezone: row.timezone,
    capacity: row.capacity,
    status: row.status,
    updatedAt: row.updatedAt.toISOString(),
  };
  const { rsvpCount, goingCount, bookedCount } = row;
  const counts = { rsvpCount, goingCount, bookedCount };
  const items = (row.items ?? []).map((item) => toItem({ ...item, eventId: row.id }, null));
  const snapshot = json.snapshot({ event, counts, items });
  return {
    id: hash('sha256', snapshot, 'base64url').slice(0, 16),
    event: json.event(event),
    counts: json.counts(counts),
    items: new Map(items.map((item) => [item.id, json.item(item)])),
    snapshot,
    bytes: null,
  };
}

type Message = { event: string; data: string };

/** JSON has no line breaks, so a message is always one line of data. */
const format = ({ event, data }: Message, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;

export function snapshotMessage(state: LiveState): Buffer {
  state.bytes ??= Buffer.from(format({ event: 'snapshot', data: state.snapshot }, state.id));
  return state.bytes;
}

export const goneMessage = (code: string): string =>
  format({ event: 'gone', data: JSON.stringify({ code }) });

/** Ms until a client comes back; not the same for all, who would else come back together. */
export const retryHint = (): string => `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`;

/** Only keeps the connection open. */
export const heartbeat = ':\n\n';

/**
 * What makes `after` of `before`; empty when they are the same. Only the last message carries the id: whoever loses the
 * connection before it resumes from the state before.
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
