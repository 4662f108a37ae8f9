/**
 * Reads of the API by a page that this process renders: the checks and the handler of an endpoint, without HTTP. The limits
 * of requests have applied to the request for the page, which waits for its reads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyRequest } from 'fastify';
import { patient, withTimeout } from '#base';
import { span } from '#telemetry';
import { defaultTimeoutMs } from '../../http/admission.ts';
import type { App } from '../../http/app.ts';
import { type Endpoint, type Response, runEndpoint } from '../../http/define-endpoint.ts';
import type { Module } from '../../http/define-module.ts';
import { errorResponse, toErrorResponse } from '../../http/problems.ts';
import { serializerOf } from '../../http/serialization.ts';
import type { BaseServices } from '../../http/services.ts';
import { validateQuery } from '../../http/validation.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';

/**
 * `path`: as the OpenAPI document writes it, such as `/v1/events/{id}`. `query`: undefined values do not count. `headers`: in place of
 * those of the visitor.
 */
export type ApiRead = {
  path: string;
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  headers?: Record<string, string> | undefined;
};
export type ReadResponse = {
  status: number;
  headers: Record<string, string | number | string[]>;
  json: string | Buffer;
};

/**
 * Files that read list after list leave half of the time to others: after each further read, they pause for as long as it
 * took. No page needs as many reads.
 */
const readsWithoutPause = 20;

type Services = Pick<BaseServices, 'changeLog' | 'outages'>;
type Operation = {
  endpoint: Endpoint<never>;
  run(input: { caller: Caller | null }, catchUp: () => Promise<void>): Promise<Response>;
};
export type Context = { app: App; services: Services; operations: Map<string, Operation> };

/** Returns a function that creates the reader of a page. */
export function createPageReads<S extends Services>(app: App, modules: Module<S>[], services: S) {
  const operations: Context['operations'] = new Map();
  for (const endpoint of modules.flatMap(({ endpoints }) => Object.values(endpoints))) {
    if (endpoint.method !== 'GET') continue;
    const run: Operation['run'] = (input, catchUp) => runEndpoint(endpoint, input, services, catchUp);
    operations.set(endpoint.path.replaceAll(/:(\w+)/g, '{$1}'), { endpoint, run });
  }
  return (page: FastifyRequest, isOver = () => false) =>
    new PageReader(page, isOver, { app, services, operations });
}

/**
 * The reads of one page see what was acknowledged before the page was requested, or before the last call of `forget`. So
 * the change log is read once, and each cookie is checked once.
 */
export class PageReader {
  readonly #page: FastifyRequest;
  readonly #isOver: () => boolean;
  readonly #context: Context;
  readonly #callers = new Map<string, Promise<Caller | null>>();
  #caughtUp: Promise<void> | null = null;
  #reads = 0;

  /** @param isOver whether nobody receives the page any more: then it reads nothing */
  constructor(page: FastifyRequest, isOver: () => boolean, context: Context) {
    this.#page = page;
    this.#isOver = isOver;
    this.#context = context;
  }

  /** To be called when the page has changed something: its next reads see it. */
  forget(): void {
    this.#callers.clear();
    this.#caughtUp = null;
  }

  /** @param cookie the header of the visitor; null for a visitor without cookies */
  read = async (read: ApiRead, cookie: string | null): Promise<ReadResponse> => {
    if (this.#isOver()) return errorResponse(new Problem('unavailable'), this.#page);
    const { operations, services } = this.#context;
    const operation = operations.get(read.path);
    if (!operation) throw new Error(`GET ${read.path} is no operation`);
    const startedAt = performance.now();
    try {
      return await span(`GET ${operation.endpoint.path}`, { kind: 'internal' }, () =>
        withTimeout(this.#run(operation, read, cookie), patient(defaultTimeoutMs)),
      );
    } catch (error) {
      return toErrorResponse(error as FastifyError, this.#page, services.outages);
    } finally {
      if (++this.#reads > readsWithoutPause) await sleep(performance.now() - startedAt);
    }
  };

  async #run(
    { endpoint, run }: Operation,
    { params = {}, query = {}, headers: own }: ApiRead,
    cookie: string | null,
  ) {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    validateQuery(endpoint.query, given);
    const caller = await this.#callerOf(endpoint, params, cookie);
    const request: FastifyRequest = own ? Object.create(this.#page, { headers: { value: own } }) : this.#page;
    const input = { caller, params, query: given, request };
    const response = await run(input, this.#catchUp);
    if (typeof response === 'symbol' || !('json' in response || 'body' in response))
      throw new Error(`${endpoint.path} is no JSON`);
    const { headers = {} } = response;
    if ('json' in response) return { status: response.statusCode, headers, json: response.json };
    const { status, body } = response;
    const schema = endpoint.response[status];
    if (!schema) throw new Error(`no response schema for status ${status}`);
    return { status, headers, json: serializerOf(schema)(body) };
  }

  readonly #catchUp = (): Promise<void> => {
    this.#caughtUp ??= this.#context.services.changeLog.catchUp();
    return this.#caughtUp;
  };

  /** Pages that another site links to show the visitor's own data: the other headers do not count (decision 42). */
  #callerOf(
    endpoint: Endpoint<never>,
    params: Record<string, unknown>,
    cookie: string | null,
  ): Promise<Caller | null> {
    const { caller, session } = endpoint;
    const eventId = session?.guests === 'ofEvent' ? params.id : '';
    const key = `${caller} ${session?.allowsSuspended} ${eventId} ${cookie}`;
    return this.#callers.getOrInsertComputed(key, () =>
      this.#context.app.findCaller(
        { method: 'GET', headers: cookie === null ? {} : { cookie }, params },
        endpoint,
      ),
    );
  }
}
