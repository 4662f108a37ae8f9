/**
 * Users who write in every way that other people rely on, and the state that the acknowledged writes promise.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody, onePixelPng } from '../test/support/factories.ts';
import type { ClientResponse } from './client.ts';
import type { Environment, Person } from './environment.ts';

/**
 * What acknowledged writes promise. A field with several values is one of them: the outcome of the request
 * that changes one into another is unknown.
 */
export type PromisedRows = {
  events: { id: string; title: string }[];
  rsvps: { event: string; user: string; status: string }[];
  items: { id: string; title: string }[];
  claims: { id: string; quantities: number[] }[];
  bookings: { id: string; seats: number[] }[];
  cancelled: { id: string }[];
  messages: { id: string; sender: string; recipient: string; text: string }[];
  uploads: { id: string; bytes: number }[];
};

export type CrashWriters = {
  promised: PromisedRows;
  /** The number of acknowledged writes. */
  writes: () => number;
  /** The number of responses by status; 0 stands for a broken connection. */
  statuses: Map<number, number>;
  stop(): Promise<void>;
};

/** Below the number of images that a person may upload in a day. */
const maxUploads = 90;

export function startCrashWriters({ client }: Environment, people: Person[], count: number): CrashWriters {
  const promised: PromisedRows = {
    events: [],
    rsvps: [],
    items: [],
    claims: [],
    bookings: [],
    cancelled: [],
    messages: [],
    uploads: [],
  };
  const statuses = new Map<number, number>();
  const state = { isOver: false, writes: 0 };

  /** @returns the response if the write was acknowledged, otherwise null */
  const send = async (
    { token }: Person,
    method: string,
    path: string,
    content: { body?: unknown; raw?: Buffer; headers?: Record<string, string> } = {},
  ): Promise<ClientResponse | null> => {
    const response = await client.send(method, path, { token, ...content }).catch(() => null);
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (response && status < 300) {
      state.writes++;
      return response;
    }
    // After a refusal, clients wait before they retry.
    await sleep(20);
    return null;
  };

  const claim = async (person: Person, item: string) => {
    const path = `/v1/items/${item}/claim`;
    const claimed = await send(person, 'POST', path, { body: { quantity: 1 } });
    if (!claimed) return;
    const row = { id: claimed.body.id, quantities: [1, 2] };
    promised.claims.push(row);
    const changed = await send(person, 'PATCH', path, { body: { quantity: 2 } });
    if (changed) row.quantities = [2];
  };

  const book = async (person: Person, event: string, isCancelled: boolean) => {
    const path = `/v1/events/${event}/booking`;
    const booked = await send(person, 'POST', path, { body: { seats: 2 } });
    if (!booked) return;
    const { id } = booked.body;
    if (!isCancelled) promised.bookings.push({ id, seats: [2] });
    else if (await send(person, 'DELETE', path)) promised.cancelled.push({ id });
  };

  const message = async (person: Person, other: Person, text: string) => {
    const sent = await send(person, 'POST', `/v1/users/${other.id}/messages`, { body: { text } });
    if (sent) promised.messages.push({ id: sent.body.id, sender: person.id, recipient: other.id, text });
  };

  const upload = async (person: Person) => {
    const headers = { 'content-type': 'image/png' };
    const stored = await send(person, 'POST', '/v1/uploads', { raw: onePixelPng, headers });
    if (stored) promised.uploads.push({ id: stored.body.id, bytes: stored.body.bytes });
  };

  const write = async (person: Person, other: Person, n: number) => {
    const title = `Potluck ${n}`;
    const created = await send(person, 'POST', '/v1/events', { body: eventBody({ title }) });
    if (!created) return;
    const event: string = created.body.id;
    promised.events.push({ id: event, title });
    const rsvp = await send(person, 'POST', `/v1/events/${event}/rsvp`, { body: { status: 'going' } });
    if (rsvp) promised.rsvps.push({ event, user: person.id, status: 'going' });
    const body = { title: `Plates ${n}`, kind: 'bring', quantityNeeded: 3 };
    const item = await send(person, 'POST', `/v1/events/${event}/items`, { body });
    if (item) promised.items.push({ id: item.body.id, title: body.title });
    if (rsvp && item) await claim(person, item.body.id);
    await book(person, event, n % 3 === 0);
    await message(person, other, `Message ${n}`);
    if (n % 4 === 0 && n < maxUploads * 4) await upload(person);
  };

  const done = Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [person, other] = [people[i % people.length], people[(i + 1) % people.length]];
      if (!person || !other) throw new Error('no people were created');
      for (let n = 0; !state.isOver; n++) await write(person, other, n);
    }),
  );
  return {
    promised,
    writes: () => state.writes,
    statuses,
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}

/** The number of promised rows of each kind that the database does not have as promised. */
export async function countBroken(
  { sql }: Environment,
  promised: PromisedRows,
): Promise<Record<keyof PromisedRows, number>> {
  const json = (kind: keyof PromisedRows) => JSON.stringify(promised[kind]);
  const [row] = await sql<[Record<keyof PromisedRows, number>]>`
    select
      (select count(*)::int from jsonb_to_recordset(${json('events')}::jsonb) as p (id uuid, title text)
        where not exists (select from events e where e.id = p.id and e.title = p.title)) as events,
      (select count(*)::int from jsonb_to_recordset(${json('rsvps')}::jsonb) as p (event uuid, "user" uuid, status text)
        where not exists (select from rsvps r
          where r.event_id = p.event and r.user_id = p."user" and r.status = p.status)) as rsvps,
      (select count(*)::int from jsonb_to_recordset(${json('items')}::jsonb) as p (id text, title text)
        where not exists (select from items i
          where i.event_id = split_part(p.id, '.', 1)::uuid and i.n = split_part(p.id, '.', 2)::int
            and i.title = p.title)) as items,
      (select count(*)::int from jsonb_to_recordset(${json('claims')}::jsonb) as p (id uuid, quantities jsonb)
        where not exists (select from claims c
          where c.id = p.id and p.quantities @> to_jsonb(c.quantity))) as claims,
      (select count(*)::int from jsonb_to_recordset(${json('bookings')}::jsonb) as p (id uuid, seats jsonb)
        where not exists (select from bookings b
          where b.id = p.id and p.seats @> to_jsonb(b.seats) and b.status = 'booked')) as bookings,
      (select count(*)::int from jsonb_to_recordset(${json('cancelled')}::jsonb) as p (id uuid)
        where exists (select from bookings b where b.id = p.id)) as cancelled,
      (select count(*)::int from jsonb_to_recordset(${json('messages')}::jsonb)
          as p (id uuid, sender uuid, recipient uuid, text text)
        where 2 <> (select count(*) from messages m where m.id = p.id and m.text = p.text
          and (m.user_id, m.other_id, m.is_own) in
            ((p.sender, p.recipient, true), (p.recipient, p.sender, false)))) as messages,
      (select count(*)::int from jsonb_to_recordset(${json('uploads')}::jsonb) as p (id uuid, bytes int)
        where not exists (select from uploads u where u.id = p.id and u.bytes = p.bytes)) as uploads`;
  return row;
}

/** The number of promised images that a server does not send whole. */
export async function countBrokenImages(
  { servers }: Environment,
  { uploads }: PromisedRows,
): Promise<number> {
  let broken = 0;
  for (const [i, { id, bytes }] of uploads.entries()) {
    const response = await fetch(`${servers[i % servers.length]?.url}/v1/uploads/${id}.webp`);
    const image = Buffer.from(await response.arrayBuffer());
    const isWhole =
      response.status === 200 && image.length === bytes && image.toString('latin1', 8, 12) === 'WEBP';
    if (!isWhole) broken++;
  }
  return broken;
}
