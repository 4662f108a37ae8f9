/**
 * The pace at which large bodies are read: images, and bodies that are discarded after a refusal. Node.js allocates a
 * buffer for each read, and V8 collects the whole heap after 16 to 64 MB of them. Without a pace, one client with 32
 * connections caused ten collections a second, and the p99 of all other clients was 70 ms.
 */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '#base';

/** The bytes of a body after which it waits for its next turn, or a few more. */
const bytesPerTurn = 64 * 1024;
/** In ms, from one turn to the next: together, bodies are read at 32 MB/s. */
const turnIntervalMs = 2;

const turns = new FairQueue({ concurrency: 1 });

/**
 * Returns a function to call with each chunk of a flowing body, which pauses the body until its next turn. Client networks
 * take turns, and so do the bodies of a network.
 */
export function paceOf(body: Readable, network: string): (chunk: Buffer) => void {
  const takeTurn = async () => {
    await sleep(turnIntervalMs);
    body.resume();
  };
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes < bytesPerTurn) return;
    bytes = 0;
    body.pause();
    void turns.run(network, takeTurn);
  };
}
