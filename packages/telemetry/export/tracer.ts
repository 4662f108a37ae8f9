/** Records spans, and hands those that have ended to the export. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';
import type { TelemetryConfig } from '../options.ts';
import type { Attributes, Span, StartOptions, Tracer } from '../span.ts';
import type { SpanContext } from '../traceparent.ts';
import { nanosOf, now, toKeyValues } from './otlp.ts';

/** Of the messages of OTLP. */
const kinds = { internal: 1, server: 2, client: 3 };
const errorStatus = 2;

export class RecordedSpan implements Span {
  readonly traceId: string;
  readonly spanId = randomHex(8);
  readonly isSampled: boolean;
  readonly #name: string;
  readonly #options: StartOptions;
  readonly #attributes: Attributes;
  readonly #links: SpanContext[] = [];
  readonly #startedAt = now();
  readonly #onEnd: (span: RecordedSpan) => void;
  #endedAt = 0;
  #hasFailed = false;

  constructor(
    name: string,
    options: StartOptions,
    { traceId, isSampled }: Pick<SpanContext, 'traceId' | 'isSampled'>,
    onEnd: (span: RecordedSpan) => void,
  ) {
    this.#name = name;
    this.#options = options;
    this.#attributes = { ...options.attributes };
    this.traceId = traceId;
    this.isSampled = isSampled;
    this.#onEnd = onEnd;
  }

  get isRecording(): boolean {
    return this.isSampled && this.#endedAt === 0;
  }

  set(attributes: Attributes): void {
    if (this.isRecording) Object.assign(this.#attributes, attributes);
  }

  link(other: SpanContext): void {
    if (this.isRecording) this.#links.push(other);
  }

  fail(type: string): void {
    this.set({ 'error.type': type });
    this.#hasFailed = true;
  }

  end(): void {
    if (!this.isRecording) return;
    this.#endedAt = now();
    this.#onEnd(this);
  }

  toOtlp(): object {
    const { parent, kind = 'internal' } = this.#options;
    return {
      traceId: this.traceId,
      spanId: this.spanId,
      ...(parent && { parentSpanId: parent.spanId }),
      name: this.#name,
      kind: kinds[kind],
      startTimeUnixNano: nanosOf(this.#startedAt),
      endTimeUnixNano: nanosOf(this.#endedAt),
      attributes: toKeyValues(this.#attributes),
      links: this.#links.map(({ traceId, spanId }) => ({ traceId, spanId })),
      status: this.#hasFailed ? { code: errorStatus } : {},
    };
  }
}

export function createTracer(
  { followsParent, ratio }: TelemetryConfig['sampling'],
  onEnd: (span: RecordedSpan) => void,
): Tracer {
  const storage = new AsyncLocalStorage<Span | undefined>();
  const begin = (parent: SpanContext | undefined) => {
    const traceId = parent?.traceId ?? randomHex(16);
    return { traceId, isSampled: parent && followsParent ? parent.isSampled : shareOf(traceId) < ratio };
  };
  return {
    isOfSdk: false,
    current: () => storage.getStore(),
    start: (name, options) => {
      const { parent } = options;
      return new RecordedSpan(name, options, parent instanceof RecordedSpan ? parent : begin(parent), onEnd);
    },
    enter: (span, work) => storage.run(span, work),
  };
}

/** From 0 to below 1, the same for a trace in every program. The last 7 bytes of an id are random in other programs too. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52;

const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Draws from random bytes that are filled in larger pieces, because each call of the generator takes a microsecond. */
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
