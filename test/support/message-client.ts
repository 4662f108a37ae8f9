/** A client for messages and conversations, for tests. */

import { createUsers, type Person } from './factories.ts';
import { expectStatus, type TestApp } from './setup.ts';

/** Creates short functions for the message endpoints; `server` selects another server on the same database. */
export function createMessageClient(api: TestApp) {
  const at = (other: { id: string }, query = '') => `/v1/users/${other.id}/messages${query}`;
  const send = (from: Person, to: { id: string }, text: unknown, server: TestApp = api) =>
    server.post(at(to), from.token, { text });
  const sent = async (from: Person, to: Person, text: string, server: TestApp = api) =>
    expectStatus(await send(from, to, text, server), 201).body;
  const list = async (me: Person, other: Person, query = '', server: TestApp = api) =>
    expectStatus(await server.get(at(other, query), me.token), 200).body;
  const texts = async (me: Person, other: Person): Promise<string[]> =>
    (await list(me, other, '?limit=50')).data.map(({ text }: { text: string }) => text);
  const conversations = async (me: Person, query = '', server: TestApp = api) =>
    expectStatus(await server.get(`/v1/conversations${query}`, me.token), 200).body;
  /** Returns the unread count, or 0 if there is no conversation. */
  const unread = async (me: Person, other: Person, server: TestApp = api): Promise<number> => {
    const { data } = await conversations(me, '?limit=50', server);
    return data.find(({ user }: { user: { id: string } }) => user.id === other.id)?.unreadCount ?? 0;
  };
  const read = (me: Person, other: { id: string }, server: TestApp = api) =>
    server.post(`${at(other)}/read`, me.token);
  const block = (me: Person, other: Person) => api.post(`/v1/users/${other.id}/block`, me.token);
  const pair = async () => (await createUsers(api, 2)) as [Person, Person];
  return { at, send, sent, list, texts, conversations, unread, read, block, pair };
}
