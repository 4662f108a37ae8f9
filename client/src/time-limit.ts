import type { Send } from './retry.ts';

/**
 * Ends a request that gets no response. The body may take longer: exports and streams do.
 * @param seconds until the headers of the response; 0 for no limit
 */
export const withTimeLimit = (send: Send, seconds: number): Send =>
  seconds === 0
    ? send
    : async (request) => {
        const limit = new AbortController();
        const timer = setTimeout(
          () => limit.abort(new DOMException(`no response within ${seconds} s`, 'TimeoutError')),
          seconds * 1000,
        );
        const signal = AbortSignal.any([request.signal, limit.signal]);
        try {
          return await send(new Request(request, { signal }));
        } finally {
          clearTimeout(timer);
        }
      };
