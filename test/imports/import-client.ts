/** Imports through the API. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../support/factories.ts';
import { type Api, type ApiResponse, expectStatus } from '../support/setup.ts';

export type Entry = {
  n: number;
  state: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field; the contract has validated the body
  event: any;
  // biome-ignore lint/suspicious/noExplicitAny: as `event`
  series: any;
  eventId: string | null;
  doubts: string[];
  duplicates: string[];
  line: number;
  reason: string | null;
};

export function createImportClient(api: Api) {
  const send = (
    person: Person | undefined,
    file: string | Buffer<ArrayBuffer>,
    query = '',
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> =>
    api.call('POST', `/v1/imports${query}`, {
      token: person?.token,
      raw: file,
      headers: { 'content-type': 'text/calendar', ...headers },
    });
  const get = async (person: Person, id: string) =>
    expectStatus(await api.get(`/v1/imports/${id}`, person.token), 200).body;

  /** Waits until the import has one of the statuses. */
  async function until(person: Person, id: string, ...statuses: string[]) {
    for (let tries = 0; tries < 300; tries++) {
      const run = await get(person, id);
      if (statuses.includes(run.status)) return run;
      await sleep(50);
    }
    assert.fail(`the import is not ${statuses.join(' or ')}`);
  }

  /** Sends a file, and waits until it has been read. */
  async function review(person: Person, file: string | Buffer<ArrayBuffer>, query = '', headers = {}) {
    const { id } = expectStatus(await send(person, file, query, headers), 202).body;
    return until(person, id, 'review', 'failed');
  }
  const entriesOf = async (person: Person, id: string, query = ''): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let cursor = ''; ; ) {
      const page = await api.get(`/v1/imports/${id}/entries?limit=50${query}${cursor}`, person.token);
      entries.push(...expectStatus(page, 200).body.data);
      if (page.body.nextCursor === null) return entries;
      cursor = `&cursor=${page.body.nextCursor}`;
    }
  };
  const sendPublish = (person: Person, id: string, body: object = {}) =>
    api.post(`/v1/imports/${id}/publish`, person.token, body);

  /** Publishes an import, and waits until it is done. */
  async function publish(person: Person, id: string, body: object = {}) {
    expectStatus(await sendPublish(person, id, body), 202);
    return until(person, id, 'done', 'failed');
  }

  /** Sends a file, publishes it, and returns its entries. */
  async function take(
    person: Person,
    file: string | Buffer<ArrayBuffer>,
    query = '',
    headers = {},
  ): Promise<Entry[]> {
    const { id, status } = await review(person, file, query, headers);
    assert.equal(status, 'review');
    await publish(person, id, { doubtful: 'publish' });
    return entriesOf(person, id);
  }
  const patch = (person: Person, id: string, n: number, body: object) =>
    api.patch(`/v1/imports/${id}/entries/${n}`, person.token, body);
  const eventOf = async (person: Person, { eventId }: Entry) =>
    expectStatus(await api.get(`/v1/events/${eventId}`, person.token), 200).body;
  return { send, get, until, review, entriesOf, sendPublish, publish, take, patch, eventOf };
}
