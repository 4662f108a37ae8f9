/** The pace of bodies: their speed is limited together, and client networks take turns. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import { paceOf } from './body-pace.ts';

const chunk = Buffer.alloc(64 * 1024);

/** Reads a body of some chunks at its pace. @returns the time that it took, in ms */
async function read(network: string, chunks: number): Promise<number> {
  const body = Readable.from(Array.from({ length: chunks }, () => chunk));
  const since = performance.now();
  await new Promise((resolve) => body.on('data', paceOf(body, network)).once('end', resolve));
  return performance.now() - since;
}

test('pace: 100 chunks of 64 KiB take at least 200 ms, in one body or in ten', async () => {
  const one = await read('192.0.2.1', 100);
  assert.ok(one >= 190, `${one} ms`);
  const ten = await Promise.all(Array.from({ length: 10 }, () => read('192.0.2.1', 10)));
  assert.ok(Math.max(...ten) >= 190, `${ten} ms`);
});

test('pace: a network with 50 bodies hardly delays the body of another network', async () => {
  const flood = Promise.all(Array.from({ length: 50 }, () => read('192.0.2.1', 5)));
  const other = read('192.0.2.2', 20);
  const isFirst = await Promise.race([flood.then(() => false), other.then(() => true)]);
  assert.ok(isFirst, 'the other body was read last');
  await flood;
});

test('pace: small chunks are read without waiting', async () => {
  const body = Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(10)));
  let pauses = 0;
  body.on('pause', () => {
    pauses++;
  });
  await new Promise((resolve) => body.on('data', paceOf(body, '192.0.2.1')).once('end', resolve));
  assert.equal(pauses, 0);
});
