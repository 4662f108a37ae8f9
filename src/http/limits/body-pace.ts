/**
 * The pace at which large bodies are read: images, and bodies that are discarded after a refusal. Node.js allocates a
 * buffer for each read, and V8 collects the whole heap after 16 to 64 MB of them. Without a pace, one client with 32
 * connections caused ten collections a second, and the p99 of all other clients was 70 ms.
 */
import type { Readable } from 'node:stream';

/** The bytes of a body after which it waits for its next turn, or a few more. */
const bytesPerTurn = 64 * 1024;
/** In ms, from one turn to the next: together, bodies are read at 32 MB/s. */
const turnIntervalMs = 2;

/** The bodies that wait, by client network. The network whose turn is next comes first. */
const waiting = new Map<string, Readable[]>();
let timer: NodeJS.Timeout | undefined;

/**
 * Returns a function to call with each chunk of a flowing body, which pauses the body until its next turn. Client networks
 * take turns, and so do the bodies of a network.
 */
export function paceOf(body: Readable, network: string): (chunk: Buffer) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes < bytesPerTurn) return;
    bytes = 0;
    body.pause();
    const bodies = waiting.get(network);
    if (bodies) bodies.push(body);
    else waiting.set(network, [body]);
    timer ??= setInterval(resumeNext, turnIntervalMs);
  };
}

function resumeNext(): void {
  takeNext()?.resume();
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Takes the first body of the first network, and moves that network behind the others. */
function takeNext(): Readable | undefined {
  const [network, bodies] = waiting.entries().next().value ?? [];
  if (network === undefined || !bodies) return undefined;
  waiting.delete(network);
  const next = bodies.shift();
  if (bodies.length > 0) waiting.set(network, bodies);
  return next;
}
