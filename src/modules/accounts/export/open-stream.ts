/** Streams that clients take turns to receive. */
import { Readable } from 'node:stream';
import type { FairQueue } from '#base';

type StreamOptions = {
  queue: FairQueue;
  /** Whose turn it is in the queue. */
  client: string;
  /** How long the client may take to receive all of it. Then the stream is destroyed. */
  timeoutMs: number;
};

/**
 * Opens a stream when it is its turn, which lasts until the stream is closed. `read` begins with the first read.
 * @throws as `FairQueue.run`
 */
export function openStream(
  read: () => AsyncIterable<string | Buffer>,
  { queue, client, timeoutMs }: StreamOptions,
): Promise<Readable> {
  const opened = Promise.withResolvers<Readable>();
  const send = async () => {
    const stream = Readable.from(read());
    // The response reports an error, if the stream has become one.
    stream.on('error', () => {});
    const closed = Promise.withResolvers<void>();
    stream.once('close', closed.resolve);
    const timer = setTimeout(() => stream.destroy(new Error('the client is too slow')), timeoutMs);
    opened.resolve(stream);
    await closed.promise;
    clearTimeout(timer);
  };
  queue.run(client, send).catch(opened.reject);
  return opened.promise;
}
