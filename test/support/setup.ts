/**
 * Setup for tests over HTTP: each file gets its own database, the app as in production, and a client that
 * validates each response against the OpenAPI document.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setPatience } from '#base';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { App } from '../../src/http/app.ts';
import type { CodePurpose } from '../../src/lib/contact.ts';
import type { SmsDriver } from '../../src/modules/accounts/sms/driver.ts';
import { buildApp } from '../../src/server/build-app.ts';
import { type Contract, readContract } from './contract.ts';
import { decoded, readBytes, send } from './http-client.ts';
import { connectSql, type SqlDatabase } from './sql-tag.ts';
import { cloneDatabase, replicaUrlsOf, variable } from './test-database.ts';

export type ResponseHeaders = Pick<Headers, 'get' | 'has' | 'getSetCookie'>;
export type ApiResponse = {
  status: number;
  headers: ResponseHeaders;
  /** The parsed JSON, or the text of a response that is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field; the contract has validated the body
  body: any;
};
export type CallOptions = {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  raw?: string | Buffer<ArrayBuffer>;
};

export type TestApp = {
  app: App;
  url: string;
  sql: SqlDatabase;
  /** The URL of the database. */
  target: string;
  clock: TestClock;
  /** `code`: empty for a message without one. `text`: of a notice. */
  sent: { phone: string; purpose: CodePurpose | 'contact_changed' | 'notice'; code: string; text?: string }[];
  contract: Contract;
  call(method: string, path: string, call?: CallOptions): Promise<ApiResponse>;
  get(path: string, token?: string): Promise<ApiResponse>;
  post(path: string, token?: string, body?: unknown): Promise<ApiResponse>;
  patch(path: string, token?: string, body?: unknown): Promise<ApiResponse>;
  delete(path: string, token?: string, body?: unknown): Promise<ApiResponse>;
  /** Starts a second server on the same database. */
  startAnother(options?: TestOptions): Promise<TestApp>;
};

/** Calls a server and queries its database; torture programs use the same functions. */
export type Api = Pick<TestApp, 'call' | 'get' | 'post' | 'patch' | 'delete' | 'sql' | 'sent'>;

export type TestOptions = {
  /** Environment variables that override the defaults of tests. */
  env?: Record<string, string>;
  sms?: SmsDriver;
  clock?: TestClock;
  /** Serves the web app too, which must be built. */
  pages?: boolean;
  /** Replaces the connections to the database of the file. */
  sql?: SqlDatabase;
  /** For tests of time limits: those of a server, for all apps until the end of the file, or of the test that starts the app. Other tests wait longer. */
  hasTimeLimits?: boolean | undefined;
};

/** The system time plus an offset that tests advance. */
export class TestClock {
  #offsetMs = 0;
  now = (): Date => new Date(Date.now() + this.#offsetMs);
  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}

/** A machine that does other work takes longer than people would wait. */
const patience = 20;

export const secretKey = 'the-key-of-the-tests-is-long-enough';

/** The directory of uploaded images, shared by the apps of a process. */
const dataDir = path.join(os.tmpdir(), `potluck-test-data-${randomBytes(6).toString('hex')}`);
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));

/** Starts an app on a new database; both are closed after the tests of the file. */
export async function startTestApp(options: TestOptions = {}): Promise<TestApp> {
  return startOn(await cloneDatabase(), options);
}

let sharedContract: Contract | undefined;

async function startOn(target: string, options: TestOptions): Promise<TestApp> {
  const { hasTimeLimits } = options;
  setPatience(hasTimeLimits ? 1 : patience);
  if (hasTimeLimits) after(() => setPatience(patience));
  const config: Config = readConfig({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SMS_DRIVER: 'console',
    DATA_DIR: dataDir,
    ...options.env,
  });
  const clock = options.clock ?? new TestClock();
  const sent: TestApp['sent'] = [];
  const sms: SmsDriver | undefined =
    options.sms ?? (config.sms.driver === 'console' ? outbox(sent) : undefined);
  const sql = options.sql ?? connectSql(target);
  const app = await buildApp({
    config: {
      ...config,
      secretKey: config.secretKey ?? secretKey,
      // A test that replaces the connections names the replicas itself.
      ...(!options.sql && { databaseReplicaUrls: replicaUrlsOf(target) }),
    },
    db: sql,
    clock: clock.now,
    pages: options.pages ?? false,
    ...(sms && { sms }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  after(async () => {
    // As in cli/serve.ts: a connection that becomes idle during the shutdown would be waited for, up to 72 s.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    await app.close();
    clearInterval(sweep);
    await sql.end({ timeoutMs: 1_000 });
  });
  sharedContract ??= readContract(JSON.parse(readFileSync(variable('POTLUCK_TEST_OPENAPI'), 'utf8')));
  const contract = sharedContract;
  const call = createCall(url, contract);
  return {
    app,
    url,
    sql,
    target,
    clock,
    sent,
    contract,
    call,
    ...httpVerbs(call),
    startAnother: (more = {}) => startOn(target, { env: options.env ?? {}, clock, hasTimeLimits, ...more }),
  };
}

/** Creates an SMS driver that records messages and, like the console driver, does not deliver them. */
function outbox(sent: TestApp['sent']): SmsDriver {
  return {
    delivers: false,
    send: async (phone, purpose, code) => void sent.push({ phone, purpose, code }),
    tellOfChange: async (phone) => void sent.push({ phone, purpose: 'contact_changed', code: '' }),
    sendNotice: async (phone, text) => void sent.push({ phone, purpose: 'notice', code: '', text }),
    sendTest: async () => {},
  };
}

/** Creates short functions for the HTTP methods. */
export const httpVerbs = (call: Api['call']): Pick<Api, 'get' | 'post' | 'patch' | 'delete'> => ({
  get: (path, token) => call('GET', path, { token }),
  post: (path, token, body) => call('POST', path, { token, body }),
  patch: (path, token, body) => call('PATCH', path, { token, body }),
  delete: (path, token, body) => call('DELETE', path, { token, body }),
});

function createCall(url: string, contract: Contract): TestApp['call'] {
  return async (method, path, { token, body, headers = {}, raw } = {}) => {
    const response = await send(url + path, {
      method,
      headers: {
        'accept-encoding': 'gzip',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? raw : JSON.stringify(body),
    });
    const received = headersOf(response);
    const type = received.get('content-type') ?? '';
    const text = await readText(response, type.startsWith('text/event-stream'));
    const apiResponse = {
      status: response.statusCode ?? 0,
      headers: received,
      body: type.includes('json') ? JSON.parse(text) : text,
    };
    contract.check(method, path, apiResponse);
    return apiResponse;
  };
}

function headersOf({ headersDistinct }: IncomingMessage): ResponseHeaders {
  const valuesOf = (name: string) => headersDistinct[name.toLowerCase()];
  return {
    has: (name) => valuesOf(name) !== undefined,
    get: (name) => valuesOf(name)?.join(', ') ?? null,
    getSetCookie: () => valuesOf('set-cookie') ?? [],
  };
}

/** @param isStream whether the body does not end by itself: its first chunk is read, and the connection is closed */
async function readText(response: IncomingMessage, isStream: boolean): Promise<string> {
  if (!isStream) return decoded(await readBytes(response));
  for await (const chunk of response) return `${chunk}`;
  return '';
}

/** Asserts the status of a response and returns the response. */
export function expectStatus(response: ApiResponse, status: number): ApiResponse {
  assert.equal(response.status, status, JSON.stringify(response.body));
  return response;
}

/** Asserts the status and the problem code of an error response and returns the response. */
export function expectProblem(response: ApiResponse, status: number, code: string): ApiResponse {
  assert.deepEqual([response.status, response.body?.code], [status, code], JSON.stringify(response.body));
  return response;
}
