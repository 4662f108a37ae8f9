/** Spans, and the export of traces, metrics and logs. */
export { idsOf, notExported, telemetryOptions } from './log-lines.ts';
export { openTelemetry, postOnce } from './open-telemetry.ts';
export { type Destination, type Signal, signals, type TelemetryConfig } from './options.ts';
export { requestSpan } from './request-span.ts';
export { activeTracer, batchSpan, currentSpan, rootSpan, type Span, span, traceHeaders } from './span.ts';
export { parseTraceparent } from './traceparent.ts';
