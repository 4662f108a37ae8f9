/** Listens to a live event over real HTTP, as a client with an independent reader of server-sent events does. */
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createParser } from 'eventsource-parser';

export type StreamMessage = {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  data: any;
  /** By `performance.now`. */
  at: number;
};

export type EventStream = {
  status: number;
  headers: IncomingHttpHeaders;
  messages: StreamMessage[];
  /** How many comments came. */
  comments: () => number;
  /** In ms, as the server asks for it. */
  retry: () => number | undefined;
  /** What `Last-Event-ID` would be. */
  lastId: () => string;
  /** The first message from number `from` on that fits; waits up to ten seconds for it. */
  until(fits: (message: StreamMessage) => boolean, from?: number): Promise<StreamMessage>;
  ended: Promise<void>;
  isOpen: () => boolean;
  /** Takes nothing more from the connection, until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
};

export type StreamOptions = {
  token?: string | undefined;
  lastId?: string;
  /** How `lastId` is sent; default: as the header. */
  lastIdIn?: 'header' | 'query';
  method?: string;
};

/** @param address of the stream; resolves with the first bytes of the answer */
export function openEventStream(
  address: string,
  { token, lastId, lastIdIn = 'header', method = 'GET' }: StreamOptions = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<EventStream>();
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(lastId !== undefined && lastIdIn === 'header' && { 'last-event-id': lastId }),
  };
  const search = lastIdIn === 'query' ? `?${new URLSearchParams({ lastEventId: lastId ?? '' })}` : '';
  const sent = request(address + search, { method, headers, agent: false });
  sent.once('error', reject);
  sent.once('response', (response) => {
    const ended = Promise.withResolvers<void>();
    const messages: StreamMessage[] = [];
    const watchers = new Set<() => void>();
    const known = { comments: 0, retry: undefined as number | undefined, id: lastId ?? '', isOpen: true };
    const parser = createParser({
      onEvent: ({ event = '', id, data }) => {
        known.id = id ?? known.id;
        messages.push({ event, id, data: JSON.parse(data), at: performance.now() });
        for (const watcher of watchers) watcher();
      },
      onComment: () => known.comments++,
      onRetry: (ms) => {
        known.retry = ms;
      },
      onError: (error) => ended.reject(error),
    });
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    response.on('error', () => {});
    response.once('close', () => {
      known.isOpen = false;
      ended.resolve();
      for (const watcher of watchers) watcher();
    });
    const until: EventStream['until'] = (fits, from = 0) => {
      const found = Promise.withResolvers<StreamMessage>();
      const giveUp = (why: string) =>
        found.reject(new Error(`${why}: ${JSON.stringify(messages).slice(0, 2_000)}`));
      const timer = setTimeout(() => giveUp('nothing that fits came in time'), 10_000);
      const watch = () => {
        const message = messages.slice(from).find(fits);
        if (message) found.resolve(message);
        else if (!known.isOpen) giveUp('the stream has ended');
      };
      watchers.add(watch);
      watch();
      return found.promise.finally(() => {
        clearTimeout(timer);
        watchers.delete(watch);
      });
    };
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      messages,
      comments: () => known.comments,
      retry: () => known.retry,
      lastId: () => known.id,
      until,
      ended: ended.promise,
      isOpen: () => known.isOpen,
      pause: () => response.pause(),
      resume: () => response.resume(),
      close: () => sent.destroy(),
    });
  });
  sent.end();
  return promise;
}

/** The state that a client has put together from the messages, to be held against what is. */
export function stateOf(messages: StreamMessage[]) {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const state: { event: any; counts: any; items: Map<string, any> } = {
    event: null,
    counts: null,
    items: new Map(),
  };
  for (const { event, data } of messages) {
    if (event === 'snapshot') {
      Object.assign(state, { event: data.event, counts: data.counts });
      state.items = new Map(data.items.map((item: { id: string }) => [item.id, item]));
    }
    if (event === 'event') state.event = data;
    if (event === 'counts') state.counts = data;
    if (event === 'item') state.items.set(data.id, data);
    if (event === 'itemRemoved') assert.ok(state.items.delete(data.id), 'an item that was not there');
  }
  return { ...state, items: [...state.items.values()] };
}
