/** Receives the body of an upload into one buffer. */
import type { Readable } from 'node:stream';
import { paceOf } from '#admission';
import { Problem } from '../../lib/errors.ts';

/** Maximum size of a body, in bytes. */
export const maxBodyBytes = 10 * 1024 ** 2;
const minCapacity = 64 * 1024;

type Options = {
  /** The network of the client. */
  network: string;
  /** The declared length of the body, if it is known. */
  contentLength: number | undefined;
  /** Called before the buffer grows, with the number of bytes by which it grows. */
  onGrow: (bytes: number) => void;
};

/** A body that is being received. `end` rejects `body`, stops reading and frees the buffer. */
export type Reception = { body: Promise<Buffer>; end: (problem: Problem) => void };

/**
 * Starts to receive a body. It is copied into one buffer, which grows with it: a client that sends single
 * bytes would otherwise use many times their size. Errors in `body`: Problem `payload_too_large`,
 * `invalid_request` if the connection closes, and that of `end`.
 */
export function receiveBody(
  payload: Readable,
  { network, contentLength = maxBodyBytes, onGrow }: Options,
): Reception {
  const { promise: body, resolve, reject } = Promise.withResolvers<Buffer>();
  let buffer = Buffer.alloc(0);
  let length = 0;
  const keepPace = paceOf(payload, network);
  const end = (problem: Problem) => {
    stop();
    buffer = Buffer.alloc(0);
    reject(problem);
  };
  const onData = (chunk: Buffer) => {
    if (length + chunk.length > maxBodyBytes) return end(new Problem('payload_too_large'));
    if (length + chunk.length > buffer.length) {
      const wanted = Math.max(length + chunk.length, buffer.length * 2, minCapacity);
      const capacity = Math.max(length + chunk.length, Math.min(wanted, contentLength));
      onGrow(capacity - buffer.length);
      // `onGrow` may have ended this reception.
      if (isStopped) return;
      const grown = Buffer.allocUnsafeSlow(capacity);
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    chunk.copy(buffer, length);
    length += chunk.length;
    keepPace(chunk);
  };
  const onEnd = () => {
    stop();
    resolve(buffer.subarray(0, length));
  };
  const onLoss = () =>
    end(new Problem('invalid_request', { detail: 'The connection closed before the end of the body.' }));
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    payload.off('data', onData).off('end', onEnd).off('error', onLoss).off('close', onLoss);
    // An error that follows has no listener otherwise, and would end the process.
    payload.on('error', () => {});
  };
  if (contentLength > maxBodyBytes) end(new Problem('payload_too_large'));
  else if (payload.destroyed) onLoss();
  else payload.on('data', onData).once('end', onEnd).once('error', onLoss).once('close', onLoss);
  return { body, end };
}
