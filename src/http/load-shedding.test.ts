import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify, { type FastifyReply } from 'fastify';
import { registerLoadShedding } from './load-shedding.ts';
import { OpenRequests, registerOpenRequests } from './open-requests.ts';
import type { OutageLog } from './outage-log.ts';
import { maxUnreadPerNetwork } from './unread-responses.ts';

test('load shedding: a network with too many unread responses gets no further response; another network does', async () => {
  const open = new OpenRequests();
  const app = Fastify();
  registerLoadShedding(app, open, { addProbe: () => {}, report: () => {} } as unknown as OutageLog);
  registerOpenRequests(app, open);
  app.get('/', () => 'served');
  const statusFor = async (remoteAddress: string) =>
    (await app.inject({ url: '/', remoteAddress })).statusCode;
  const network = open.loadOf('192.0.2.1');
  for (let i = 0; i < maxUnreadPerNetwork; i++) {
    assert.equal(await statusFor('192.0.2.1'), 200);
    open.countUnread({ network, delivery: { progress: 0, since: 0, isUnread: false } } as FastifyReply);
  }
  assert.notEqual(await statusFor('192.0.2.1'), 200);
  assert.equal(await statusFor('192.0.2.2'), 200);
});
