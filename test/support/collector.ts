/** A collector of OpenTelemetry: it takes what servers export, and refuses what the definitions of OTLP do not allow. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Signal } from '#telemetry';
import { assertIsOtlp, type Json } from './otlp-definitions.ts';
import { until } from './workers.ts';

type Attributes = Record<string, unknown>;
type Context = { traceId: string; spanId: string };
export type ReceivedSpan = Context & {
  parentSpanId?: string;
  name: string;
  /** 1: internal, 2: server, 3: client. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
  links: Context[];
  status: { code?: number };
  resource: Attributes;
};
export type ReceivedRecord = Partial<Context> & {
  timeUnixNano: string;
  severityText: string;
  severityNumber: number;
  body: { stringValue: string };
  attributes: Attributes;
  resource: Attributes;
};
type Point = Json & { attributes: Attributes };
export type ReceivedMetric = { name: string; type: string; points: Point[]; resource: Attributes };

type Respond = (request: IncomingMessage, response: ServerResponse) => void;
const accept: Respond = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
};

export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly records: ReceivedRecord[] = [];
  /** The newest ones of each process. */
  readonly metrics = new Map<unknown, ReceivedMetric[]>();
  readonly requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  /** Faults of messages. */
  readonly faults: string[] = [];
  /** False for messages of programs that follow other versions of the definitions. */
  checksMessages = true;
  /** All bodies. */
  text = '';
  respond = accept;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Waits for spans of a trace. */
  async untilSpan(what: string, isSearched: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    await until(what, async () => this.spans.some(isSearched));
    return this.spans.find(isSearched) as ReceivedSpan;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request;
    this.requests.push({ path, headers });
    const bytes = Buffer.concat(await request.toArray());
    const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
    this.text += text;
    try {
      assert.deepEqual([request.method, headers['content-type']], ['POST', 'application/json']);
      const [, signal = ''] = /\/v1\/(traces|metrics|logs)$/.exec(path) ?? [];
      this.#keep(signal as Signal, JSON.parse(text));
      this.respond(request, response);
    } catch (error) {
      this.faults.push(String(error));
      response.writeHead(400).end();
    }
  }

  #keep(signal: Signal, message: Json): void {
    if (this.checksMessages) assertIsOtlp(signal, message);
    if (signal === 'traces') this.spans.push(...itemsOf<ReceivedSpan>(message, 'Spans', 'spans').map(toSpan));
    if (signal === 'logs') this.records.push(...itemsOf<ReceivedRecord>(message, 'Logs', 'logRecords'));
    if (signal !== 'metrics') return;
    const metrics = itemsOf<Json & { name: string; resource: Attributes }>(message, 'Metrics', 'metrics');
    if (metrics.length === 0) return;
    this.metrics.set(metrics[0]?.resource['service.instance.id'], metrics.map(toMetric));
  }
}

/** Starts a collector, which ends after the tests of the file. */
export async function startCollector(): Promise<Collector> {
  const collector = await new Collector().listen();
  after(() => {
    collector.close();
    assert.deepEqual(collector.faults, []);
  });
  return collector;
}

/** The items of a message, with their attributes and those of their resource as objects. */
function itemsOf<T>(message: Json, name: string, field: string): T[] {
  const resources = (message[`resource${name}`] ?? []) as Json[];
  return resources.flatMap((each) => {
    const resource = toObject((each.resource as Json).attributes);
    const scopes = each[`scope${name}`] as Json[];
    return scopes.flatMap((scope) =>
      (scope[field] as Json[]).map(
        (item) => ({ ...item, attributes: toObject(item.attributes), resource }) as T,
      ),
    );
  });
}

const toSpan = (span: ReceivedSpan): ReceivedSpan => ({ ...span, links: span.links ?? [] });

function toMetric({
  name,
  resource,
  ...item
}: Json & { name: string; resource: Attributes }): ReceivedMetric {
  const type = ['sum', 'gauge', 'histogram'].find((each) => each in item) ?? '';
  const { dataPoints } = item[type] as { dataPoints: Json[] };
  const points = dataPoints.map((point) => ({ ...point, attributes: toObject(point.attributes) }));
  return { name, type, points, resource };
}

const toObject = (attributes: unknown): Attributes =>
  Object.fromEntries(
    ((attributes ?? []) as { key: string; value: Json }[]).map(({ key, value }) => [key, toValue(value)]),
  );

function toValue(value: Json): unknown {
  const [type, inner] = Object.entries(value)[0] ?? [];
  if (type === 'intValue') return Number(inner);
  if (type === 'arrayValue') return (inner as { values: Json[] }).values.map(toValue);
  return type === 'kvlistValue' ? toObject((inner as Json).values) : inner;
}
