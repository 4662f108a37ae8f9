/** Requests to other servers. */
import { currentSpan, span, traceHeaders } from './span.ts';

/**
 * Sends a request in a span of its own. The span has the host alone, because paths and queries contain keys.
 * @param send gets the headers that continue the trace
 */
export async function requestSpan<R extends { status: number }>(
  name: string,
  { method = 'GET', url }: { method?: string | undefined; url: string | URL },
  send: (headers: Record<string, string>) => Promise<R>,
): Promise<R> {
  const attributes = { 'http.request.method': method, 'server.address': new URL(url).hostname };
  return span(name, { kind: 'client', attributes }, async () => {
    const response = await send(traceHeaders());
    currentSpan()?.set({ 'http.response.status_code': response.status });
    return response;
  });
}
