/** An event that hides its address, and a person for each way to take part in it, in tests. */

import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  nextAddress,
  type Person,
} from './factories.ts';
import { answerAsGuest } from './guests.ts';
import { invite } from './invitations.ts';
import { expectStatus, type TestApp } from './setup.ts';

export const home = { address: 'Fredensborgveien 22B, Oslo', lat: 59.9175, lng: 10.7502 };
export const joinUrl = 'https://meet.example.org/secret-room';
/** What only people who go may read, however it is written. */
export const exactWords = /Fredensborg|secret-room|59[.,]9175|10[.,]7502/i;
export const hiding = { addressVisibility: 'going', location: home, onlineUrl: joinUrl };

type Place = { lat: number; lng: number };

/** The middle of the cell, by the arithmetic of the specification. */
export function middleOf({ lat, lng }: Place): Place {
  const middle = (Math.floor(lat * 111.32) + 0.5) / 111.32;
  const width = 1 / (111.32 * Math.cos((middle * Math.PI) / 180));
  const column = Math.min(180, Math.max(-180, (Math.floor(lng / width) + 0.5) * width));
  return { lat: Number(middle.toFixed(6)), lng: Number(column.toFixed(6)) };
}

/** Another place of the same cell. */
export const near = {
  address: 'Maridalsveien 3, Oslo',
  lat: middleOf(home).lat + 0.001,
  lng: middleOf(home).lng - 0.001,
};

/** `token`: null without an account. `mayRead`: whether the exact place is for this person. */
export type Reader = { token: string | undefined; mayRead: boolean; email?: string; person?: Person };
export type HiddenEvent = {
  id: string;
  itemId: string;
  invitationId: string;
  /** Of the link of an invitation. */
  linkToken: string;
  organizer: Person;
  readers: Record<string, Reader>;
};

/** @param fields of the event, which has two seats, taken by `seated` */
export async function createHiddenEvent(api: TestApp, fields: object = {}): Promise<HiddenEvent> {
  const organizer = await createUser(api, { name: 'Olga Organizer' });
  const organizerAddress = await addAddress(api, organizer);
  const readers: Record<string, Reader> = {
    anonymous: { token: undefined, mayRead: false },
    organizer: { token: organizer.token, mayRead: true, email: organizerAddress, person: organizer },
  };
  const add = async (name: string, mayRead: boolean, person?: Person) => {
    const added = person ?? (await createUser(api));
    readers[name] = { token: added.token, mayRead, email: await addAddress(api, added), person: added };
    return added;
  };
  await add('admin', true, await createAdmin(api));
  const follower = await add('follower', false);
  expectStatus(await api.post(`/v1/users/${organizer.id}/follow`, follower.token), 200);
  const { id } = await createEvent(api, organizer, { ...hiding, capacity: 2, ...fields });
  const { id: itemId } = await createItem(api, organizer, id);
  await add('stranger', false);
  const post = async (name: string, mayRead: boolean, path: string, body: object, status: number) =>
    expectStatus(await api.post(path, (await add(name, mayRead)).token, body), status);
  await post('going', true, `/v1/events/${id}/rsvp`, { status: 'going' }, 200);
  await post('interested', false, `/v1/events/${id}/rsvp`, { status: 'interested' }, 200);
  await post('seated', true, `/v1/events/${id}/booking`, { seats: 2 }, 201);
  await post('waiting', false, `/v1/events/${id}/booking`, { seats: 1, waitlist: true }, 201);
  await post('saving', false, `/v1/events/${id}/save`, { saved: true }, 200);
  // A claim stays when the answer becomes another one.
  await post('claiming', false, `/v1/events/${id}/rsvp`, { status: 'going' }, 200);
  const { token } = readers.claiming ?? {};
  expectStatus(await api.post(`/v1/items/${itemId}/claim`, token, { quantity: 1 }), 201);
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, token, { status: 'interested' }), 200);
  const invited = await add('invited', false);
  const { data } = await invite(api, organizer, id, [
    { userId: invited.id },
    { name: 'Neighbours', maxUses: 5 },
  ]);
  for (const status of ['going', 'interested'] as const) {
    const email = nextAddress();
    const { guestToken } = await answerAsGuest(api, id, { name: `Guest ${status}`, email, status });
    readers[`guest ${status}`] = { token: guestToken, mayRead: status === 'going', email };
  }
  return {
    ...{ id, itemId, organizer, readers },
    invitationId: data[0]?.id ?? '',
    linkToken: data[1]?.url?.split('/').at(-1) ?? '',
  };
}
