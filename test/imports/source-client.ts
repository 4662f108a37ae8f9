/** Sources through the API. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.ts';
import type { RunServices } from '../../src/modules/imports/runs/services.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import type { Person } from '../support/factories.ts';
import { type Api, expectStatus, type TestApp } from '../support/setup.ts';
import { createImportClient } from './import-client.ts';

/** As the API returns it. */
export type Source = {
  id: string;
  url: string;
  autoPublish: boolean;
  lastGoodAt: string | null;
  problem: { code: string; detail: string } | null;
  eventsCount: number;
  importId: string | null;
};

/** The services of the jobs of a server. */
export const jobServices = (api: TestApp, importTestOrigin?: string): RunServices => ({
  db: api.sql,
  clock: api.clock.now,
  log: { error: console.error, warn: () => {} },
  config: { publicUrl: api.url, dailyQuotas: readConfig({}).dailyQuotas, importTestOrigin },
});

/** A calendar with an entry for each title, with the title as its UID unless it says another. */
export const fileOf = (...titles: (string | Record<string, string | undefined>)[]): string =>
  calendar(
    ...titles.map((fields) =>
      calendarEntry(
        typeof fields === 'string'
          ? { SUMMARY: fields, UID: `${fields}@host` }
          : { UID: `${fields.SUMMARY}@host`, ...fields },
      ),
    ),
  );

export function createSourceClient(api: Api) {
  const { until, entriesOf } = createImportClient(api);
  const sendFollow = (person: Person, url: string, more: object = {}) =>
    api.post('/v1/imports?visibility=unlisted', person.token, { url, follow: true, ...more });
  const list = async (person: Person): Promise<Source[]> =>
    expectStatus(await api.get('/v1/sources', person.token), 200).body.data;
  const get = async (person: Person, id: string): Promise<Source> =>
    expectStatus(await api.get(`/v1/sources/${id}`, person.token), 200).body;

  /** Follows an address, and waits until it has been read. */
  async function follow(person: Person, url: string, more: object = {}) {
    const { id } = expectStatus(await sendFollow(person, url, more), 202).body;
    const run = await until(person, id, 'review', 'done', 'failed');
    const source = (await list(person)).find((one) => one.url === url);
    assert.ok(source, 'the address is a source');
    return { run, source };
  }

  /** Waits until something holds, such as what a source changes. */
  async function eventually<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
    for (let tries = 0; tries < 400; tries++) {
      const found = await look();
      if (found) return found;
      await sleep(50);
    }
    return assert.fail(`not within 20 s: ${what}`);
  }

  const eventsOf = async ({ id }: Person): Promise<{ id: string; title: string; status: string }[]> => [
    ...(await api.sql<{ id: string; title: string; status: string }[]>`
      select id, title, status from events where organizer_id = ${id} order by title, id`),
  ];
  const titlesOf = async (person: Person): Promise<string[]> =>
    (await eventsOf(person)).map(({ title }) => title);
  const statusesOf = async (person: Person): Promise<Record<string, string>> =>
    Object.fromEntries((await eventsOf(person)).map(({ title, status }) => [title, status]));

  /** The entries that wait in the open review of a source; empty without one. */
  async function waitingOf(person: Person, id: string) {
    const { importId } = await get(person, id);
    return importId === null
      ? []
      : (await entriesOf(person, importId)).filter(({ eventId }) => eventId === null);
  }
  return { sendFollow, list, get, follow, eventually, eventsOf, titlesOf, statusesOf, waitingOf };
}
