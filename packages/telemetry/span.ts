/**
 * Spans of OpenTelemetry, as the rest of the code knows them. A server that exports traces calls `useTracer` when it starts
 * (open-telemetry.ts). Without it nothing is recorded, and each function of this file costs a branch.
 *
 * Names and attributes leave the server: they contain no secrets and no personal data.
 */
import { formatTraceparent, type SpanContext } from './traceparent.ts';

export type Attributes = Record<string, string | number | boolean>;

/** A piece of work in a trace. */
export type Span = SpanContext & {
  /** False after its end, and for a trace that is not sampled. The functions below then have no effect. */
  readonly isRecording: boolean;
  set(attributes: Attributes): void;
  /** Refers to a span that is neither its parent nor its child. */
  link(other: SpanContext): void;
  /** @param type a code or the name of a class, never a text */
  fail(type: string): void;
  end(): void;
};

type Options = { kind?: 'internal' | 'server' | 'client'; attributes?: Attributes };
export type StartOptions = Options & { parent?: SpanContext | undefined };

export type Tracer = {
  /** Whether the spans are those of an SDK, whose instrumentation also begins requests and sends `traceparent` (sdk-tracer.ts). */
  readonly isOfSdk: boolean;
  /** The span of the work that calls. */
  current(): Span | undefined;
  /** Starts a span; without a parent, a trace. */
  start(name: string, options: StartOptions): Span;
  /** Runs `work`, and all that it starts, as part of a span, or of none. */
  enter<T>(span: Span | undefined, work: () => T): T;
};

let tracer: Tracer | undefined;

export const useTracer = (value: Tracer | undefined): void => {
  tracer = value;
};

export const activeTracer = (): Tracer | undefined => tracer;

/** The span of the work that calls. */
export const currentSpan = (): Span | undefined => tracer?.current();

/** Headers of a request to another server, which continue the trace there. A second `traceparent` would make both invalid. */
export function traceHeaders(): Record<string, string> {
  const current = tracer?.current();
  return current && !tracer?.isOfSdk ? { traceparent: formatTraceparent(current) } : {};
}

/** Runs `work` in a span of its own if it is part of one that is recorded. */
export function span<T>(name: string, options: Options, work: () => Promise<T>): Promise<T> {
  const parent = tracer?.current();
  // Work that outlasts its request, such as a timer that a request has started, would add to the trace for ever.
  return tracer && parent?.isRecording ? run(tracer, name, { ...options, parent }, work) : work();
}

/** Runs `work` as the beginning of a trace. */
export const rootSpan = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  tracer ? run(tracer, name, {}, work) : work();

/**
 * Runs work that several requests wait for, with the span of each. It is part of the first one that is recorded; each of
 * the others and its span refer to each other.
 */
export function batchSpan<T>(served: { span: Span | undefined }[], work: () => Promise<T>): Promise<T> {
  if (!tracer) return work();
  const recorded = served.flatMap(({ span }) => (span?.isRecording ? [span] : []));
  const [parent, ...others] = new Set(recorded);
  if (!parent) return tracer.enter(served[0]?.span, work);
  return run(tracer, 'batch', { parent, attributes: { 'potluck.batch.size': served.length } }, (batch) => {
    for (const other of others) {
      batch.link(other);
      other.link(batch);
    }
    return work();
  });
}

async function run<T>(
  tracer: Tracer,
  name: string,
  options: StartOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const started = tracer.start(name, options);
  try {
    return await tracer.enter(started, () => work(started));
  } catch (error) {
    started.fail(typeOf(error));
    throw error;
  } finally {
    started.end();
  }
}

function typeOf(error: unknown): string {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `${code ?? name}`;
}
