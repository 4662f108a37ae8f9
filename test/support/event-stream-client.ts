/** A client for live streams over HTTP, with an independent parser of server-sent events. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { createParser } from 'eventsource-parser';
import { http } from './http-client.ts';

export type StreamMessage = {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  data: any;
  /** When the message was received, by `performance.now`. */
  at: number;
};

export type EventStream = {
  status: number;
  headers: IncomingHttpHeaders;
  messages: StreamMessage[];
  /** The number of comment lines received. */
  comments: () => number;
  /** The reconnection time in ms that the server sent in `retry`. */
  retry: () => number | undefined;
  /** The value for `Last-Event-ID` of a reconnection. */
  lastId: () => string;
  /** Resolves with the first message that matches, from index `from` on. Rejects after ten seconds. */
  until(matches: (message: StreamMessage) => boolean, from?: number): Promise<StreamMessage>;
  ended: Promise<void>;
  isOpen: () => boolean;
  /** Stops reading from the connection until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
};

export type StreamOptions = {
  token?: string | undefined;
  lastId?: string;
  /** Where `lastId` is sent; default: in the header. */
  lastIdIn?: 'header' | 'query';
  method?: string;
  /** Further headers of the request. */
  headers?: Record<string, string>;
};

/**
 * Opens a live stream. The promise resolves when the response headers are received.
 * @param address URL of the stream
 */
export function openEventStream(
  address: string,
  { token, lastId, lastIdIn = 'header', method = 'GET', headers: more = {} }: StreamOptions = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<EventStream>();
  const headers = {
    ...more,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(lastId !== undefined && lastIdIn === 'header' && { 'last-event-id': lastId }),
  };
  const search = lastIdIn === 'query' ? `?${new URLSearchParams({ lastEventId: lastId ?? '' })}` : '';
  const sent = http.request(address + search, { method, headers, agent: false });
  sent.once('error', reject);
  sent.once('response', (response) => {
    const ended = Promise.withResolvers<void>();
    const messages: StreamMessage[] = [];
    const watchers = new Set<() => void>();
    const state = { comments: 0, retry: undefined as number | undefined, id: lastId ?? '', isOpen: true };
    const parser = createParser({
      onEvent: ({ event = '', id, data }) => {
        state.id = id ?? state.id;
        messages.push({ event, id, data: JSON.parse(data), at: performance.now() });
        for (const watcher of watchers) watcher();
      },
      onComment: () => state.comments++,
      onRetry: (ms) => {
        state.retry = ms;
      },
      onError: (error) => ended.reject(error),
    });
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    response.on('error', () => {});
    response.once('close', () => {
      state.isOpen = false;
      ended.resolve();
      for (const watcher of watchers) watcher();
    });
    const until: EventStream['until'] = (matches, from = 0) => {
      const found = Promise.withResolvers<StreamMessage>();
      const giveUp = (why: string) =>
        found.reject(new Error(`${why}: ${JSON.stringify(messages).slice(0, 2_000)}`));
      const timer = setTimeout(() => giveUp('no matching message within ten seconds'), 10_000);
      const watch = () => {
        const message = messages.slice(from).find(matches);
        if (message) found.resolve(message);
        else if (!state.isOpen) giveUp('the stream has ended');
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
      comments: () => state.comments,
      retry: () => state.retry,
      lastId: () => state.id,
      until,
      ended: ended.promise,
      isOpen: () => state.isOpen,
      pause: () => response.pause(),
      resume: () => response.resume(),
      close: () => sent.destroy(),
    });
  });
  sent.end();
  return promise;
}

/** Applies the messages in order and returns the resulting state of the client. */
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
    if (event === 'itemRemoved') assert.ok(state.items.delete(data.id), 'itemRemoved for an unknown item');
  }
  return { ...state, items: [...state.items.values()] };
}
