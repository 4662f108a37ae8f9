/** A client for the tests of event lists. */
import assert from 'node:assert/strict';
import type { Person } from './factories.ts';
import { expectProblem, expectStatus, type TestApp } from './setup.ts';

export type Query = Record<string, string | number>;
export type Listed = { id: string; startAt: string; title: string; [field: string]: unknown };

export function createListClient(api: TestApp) {
  const ask = (query: Query, person?: Person) => {
    const parameters = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, `${value}`]));
    return api.get(`/v1/events?${parameters}`, person?.token);
  };

  /** Returns the first fifty events and the total. */
  async function list(
    query: Query,
    person?: Person,
  ): Promise<{ data: Listed[]; total: number; titles: string[] }> {
    const { body } = expectStatus(await ask({ limit: 50, ...query }, person), 200);
    return { data: body.data, total: body.meta.total, titles: body.data.map((event: Listed) => event.title) };
  }

  /** Asserts a 400 that names only this parameter. */
  async function refused(query: Query, field: string): Promise<void> {
    const { body } = expectProblem(await ask(query), 400, 'invalid_request');
    const paths = body.errors.map((error: { path: string }) => error.path);
    assert.deepEqual(paths, [field], JSON.stringify(query));
  }

  return { ask, list, refused };
}

export const atPlace = (lat: number, lng: number) => ({ location: { address: 'Somewhere', lat, lng } });
