/**
 * Spans of an SDK of OpenTelemetry that the operator has loaded before the server, such as by `NODE_OPTIONS=--import …`. They
 * join those of its instrumentation, in both directions.
 */
import {
  type Context,
  context,
  ProxyTracerProvider,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from './span.ts';
import type { SpanContext } from './traceparent.ts';

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** @returns undefined unless an SDK is loaded */
export function findSdkTracer(): Tracer | undefined {
  if (!isSdkLoaded()) return undefined;
  const sdk = trace.getTracer('potluck');
  return {
    isOfSdk: true,
    current: () => toJoinedSpan(trace.getActiveSpan()),
    start: (name, { parent, kind = 'internal', attributes = {} }) =>
      toJoinedSpan(sdk.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent))),
    enter: (span, work) => context.with(contextOf(span), work),
  };
}

/** Another copy of the API registers its own provider here, and this copy a provider with a delegate. */
function isSdkLoaded(): boolean {
  const provider = trace.getTracerProvider();
  const none = new ProxyTracerProvider().getDelegate();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== none;
}

function contextOf(span: SpanContext | undefined): Context {
  const active = context.active();
  if (!span) return trace.deleteSpan(active);
  return span instanceof JoinedSpan
    ? trace.setSpan(active, span.inner)
    : trace.setSpanContext(active, toSdkContext(span));
}

const toSdkContext = ({ traceId, spanId, isSampled }: SpanContext) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

/** The same for the same span of the SDK: a batch counts the spans that it serves. */
const joinedSpans = new WeakMap<SdkSpan, JoinedSpan>();

function toJoinedSpan(inner: SdkSpan): JoinedSpan;
function toJoinedSpan(inner: SdkSpan | undefined): JoinedSpan | undefined;
function toJoinedSpan(inner: SdkSpan | undefined): JoinedSpan | undefined {
  return inner && joinedSpans.getOrInsertComputed(inner, (each) => new JoinedSpan(each));
}

class JoinedSpan implements Span {
  readonly inner: SdkSpan;
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;

  constructor(inner: SdkSpan) {
    const { traceId, spanId, traceFlags } = inner.spanContext();
    this.inner = inner;
    this.traceId = traceId;
    this.spanId = spanId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  get isRecording(): boolean {
    return this.inner.isRecording();
  }

  // An SDK warns of a change after the end.

  set(attributes: Attributes): void {
    if (this.isRecording) this.inner.setAttributes(attributes);
  }

  link(other: SpanContext): void {
    if (this.isRecording) this.inner.addLink({ context: toSdkContext(other) });
  }

  fail(type: string): void {
    if (!this.isRecording) return;
    this.inner.setAttribute('error.type', type);
    this.inner.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    if (this.isRecording) this.inner.end();
  }
}
