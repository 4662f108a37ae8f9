import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../lib/errors.ts';
import { maxBodyBytes, receiveBody } from './receive-body.ts';

/** Receives a stream, and records by how many bytes its buffer grows. */
function receive(contentLength?: number) {
  const payload = new PassThrough();
  const growth: number[] = [];
  const reception = receiveBody(payload, {
    network: '192.0.2.1',
    contentLength,
    onGrow: (bytes) => void growth.push(bytes),
  });
  return { payload, growth, ...reception };
}

test('body: chunks of any size are received in order; the buffer never exceeds the declared length', async () => {
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
  const { payload, growth, body } = receive(sent.length);
  for (let at = 0; at < 300; at++) payload.write(sent.subarray(at, at + 1));
  payload.write(sent.subarray(300, 90_000));
  payload.end(sent.subarray(90_000));
  assert.ok((await body).equals(sent));
  assert.equal(
    growth.reduce((sum, bytes) => sum + bytes, 0),
    sent.length,
  );
  // The first byte needs the smallest buffer, and not the declared length.
  assert.equal(growth[0], 64 * 1024);
});

test('body: 413 for a declared or a received length above the limit', async () => {
  await assert.rejects(receive(maxBodyBytes + 1).body, { code: 'payload_too_large' });
  const { payload, body } = receive();
  payload.end(Buffer.alloc(maxBodyBytes + 1));
  await assert.rejects(body, { code: 'payload_too_large' });
});

test('body: an error if the connection closes before the end, or if the reception is ended', async () => {
  for (const close of [
    (payload: PassThrough) => void payload.destroy(),
    (payload: PassThrough) => void payload.destroy(new Error('reset')),
  ]) {
    const { payload, body } = receive(100);
    payload.write('a');
    await nextTurn();
    close(payload);
    await assert.rejects(body, { code: 'invalid_request' });
  }
  const closed = new PassThrough().destroy();
  await assert.rejects(
    receiveBody(closed, { network: '192.0.2.1', contentLength: 1, onGrow: () => {} }).body,
    {
      code: 'invalid_request',
    },
  );
  const { payload, body, end } = receive(100);
  payload.write('a');
  end(new Problem('unavailable'));
  await assert.rejects(body, { code: 'unavailable' });
  payload.end('b');
});
