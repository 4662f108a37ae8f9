/** Reads server-sent events from the body of a response. */

/** `id` is present if the event itself has one. */
export type StreamMessage = { event: string; data: unknown; id?: string };

export type StreamReader = {
  onMessage(message: StreamMessage): void;
  /** The server asks for this time, in ms, before a reconnection. */
  onRetry(ms: number): void;
};

/** Returns a function that takes the text of a stream in parts, however it is divided. */
export function createParser({ onMessage, onRetry }: StreamReader): (text: string) => void {
  let rest = '';
  let fields: { event?: string; id?: string; data?: string } = {};

  const readLine = (line: string) => {
    if (line === '') {
      const { event = 'message', data, id } = fields;
      fields = {};
      if (data !== undefined) onMessage({ event, data: JSON.parse(data), ...(id !== undefined && { id }) });
      return;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === 'event' || name === 'id') fields[name] = value;
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
  };

  return (text) => {
    // A carriage return at the end may be the first half of a line break.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line);
  };
}

export type ReadOptions = {
  idleMs: number;
  onRetry: StreamReader['onRetry'];
  signal?: AbortSignal | null | undefined;
};

/**
 * Yields the messages of a stream until it ends or `signal` is aborted.
 * @param idleMs a stream that is silent for this long is lost
 * @throws Error if the stream is lost
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { idleMs, onRetry, signal }: ReadOptions,
): AsyncGenerator<StreamMessage, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let messages: StreamMessage[] = [];
  const parse = createParser({ onMessage: (message) => messages.push(message), onRetry });
  // The signal of a request does not always reach its body: in Node.js it is lost when the Request that had it
  // is garbage-collected.
  const cancel = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), idleMs);
      if (done) return;
      parse(decoder.decode(value, { stream: true }));
      yield* messages;
      messages = [];
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Closes the connection of a stream that has not ended.
    cancel();
  }
}

function within<T>(result: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The stream was silent for ${ms} ms.`)), ms);
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
