/** The header `traceparent` (W3C Trace Context), by which a trace goes on in another program. */

/** What other programs and other spans refer to. The ids are lowercase hexadecimal digits. */
export type SpanContext = { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean };

/** The last digit of the flags says whether the trace is recorded. Versions after 00 may have more fields. */
const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]([\da-f])(-.*)?$/;

/** @returns undefined for a header that is missing or malformed: the request then begins a trace */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] =
    (typeof header === 'string' && pattern.exec(header)) || [];
  if (!version || !traceId || !spanId || !flags) return undefined;
  if (version === 'ff' || (version === '00' && more)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
