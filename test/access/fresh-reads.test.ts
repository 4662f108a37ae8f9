/** What endpoints find in memory is as new as their requests: the change log is read before all handlers that need it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ChangeLog } from '#fresh-records';
import { modules } from '../../src/server/modules.ts';
import { accessRows } from '../operations/all.ts';
import { createPeopleByRole, sendAs } from '../operations/request-as.ts';
import { areAllCases } from '../support/all-cases.ts';
import { startTestApp } from '../support/setup.ts';

/**
 * The services that hold no records of which the change log says what is stale, or that read the log themselves. Every
 * other service counts as a cache.
 */
const withoutCache = new Set(
  `config db clock log outages replicas flags instance sms mailer storage findUpload checkReadiness profiles rsvps bookings claims hub
  streams oidc readMetrics contactHooks declineInvitation`.split(/\s+/),
);

/** When the latest completed read of the change log began, in ms of `performance.now`. */
let readAt = 0;
/** By operation: whether the log was read between the arrival of each request without a caller and its handler. */
const isFresh = new Map<string, boolean[]>();
/** The operations that took a cache from the services, and those that did so without a read of the log. */
const cached = new Set<string>();
const stale = new Set<string>();

const { catchUp } = ChangeLog.prototype;
ChangeLog.prototype.catchUp = async function (this: ChangeLog) {
  const begin = performance.now();
  await catchUp.call(this);
  readAt = begin;
};

const isLive = (name: string) => name.includes('/live');

type Handled = { caller: object | null; reply: { open: { since: number } } };
const endpoints = modules.flatMap((module) => Object.entries(module.endpoints));
const handlers = endpoints.map(
  ([, { handler }]) => handler as (request: unknown, services: object) => unknown,
);
for (const [i, [operationId, endpoint]] of endpoints.entries()) {
  endpoint.handler = (request: Handled, services: object) => {
    const isRead = readAt >= request.reply.open.since;
    if (!request.caller) isFresh.set(operationId, [...(isFresh.get(operationId) ?? []), isRead]);
    const watched = new Proxy(services, {
      get(target, name, receiver) {
        if (!withoutCache.has(String(name))) {
          cached.add(operationId);
          if (!isRead) stale.add(`${operationId}: ${String(name)}`);
        }
        return Reflect.get(target, name, receiver);
      },
    });
    return handlers[i]?.(request, watched);
  };
}
const api = await startTestApp();
for (const [i, [, endpoint]] of endpoints.entries()) Object.assign(endpoint, { handler: handlers[i] });

test('fresh reads: every handler that uses a cache runs after a read of the change log that its request began', async () => {
  const roles = ['anonymous', 'organizer', 'admin'] as const;
  const people = await createPeopleByRole(api, roles);
  // Last those of streams, whose server reads the log for as long as they are open.
  const rows = Object.entries(accessRows).sort(([a], [b]) => Number(isLive(a)) - Number(isLive(b)));
  for (const [name, row] of rows) {
    const needed = name.includes('/admin/') ? 'admin' : 'organizer';
    for (const role of roles)
      if (areAllCases || role === 'anonymous' || role === needed) await sendAs(api, people, name, row, role);
  }
  ChangeLog.prototype.catchUp = catchUp;
  assert.deepEqual([...stale], []);
});

test('fresh reads: the change log is read for requests without a caller if and only if the endpoint uses a cache', () => {
  assert.ok(isFresh.size > 20);
  for (const [operationId, reads] of isFresh)
    assert.deepEqual([...new Set(reads)], [cached.has(operationId)], operationId);
});
