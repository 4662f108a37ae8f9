import assert from 'node:assert/strict';
import test from 'node:test';
import type { FastifyRequest } from 'fastify';
import { type Context, PageReader } from '../../src/server/web/page-reads.ts';

test('page: reads nothing after its response is over, and the read is a 503', async () => {
  let isOver = false;
  const context = { operations: new Map() } as Pick<Context, 'operations'> as Context;
  const reader = new PageReader({ id: 'a' } as FastifyRequest, () => isOver, context);
  await assert.rejects(reader.read({ path: '/v1/places' }, null), /is no operation/);
  isOver = true;
  const { status, headers } = await reader.read({ path: '/v1/places' }, null);
  assert.deepEqual([status, headers['retry-after']], [503, 1]);
});
