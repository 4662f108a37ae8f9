/** Compares responses as a client that wants to tell them apart. */
import type { ClientResponse } from './client.ts';

/** Of the waits in `Retry-After` of two responses that were sent one after the other. */
const maxWaitDifferenceSeconds = 5;

/** Whether a client can tell neither of two responses, which it got one after the other, from the other. */
export function areAlike(one: ClientResponse, other: ClientResponse): boolean {
  const [wait, otherWait] = [one, other].map(({ headers }) => Number(headers['retry-after'] ?? 0));
  const isSameWait = Math.abs((wait ?? 0) - (otherWait ?? 0)) < maxWaitDifferenceSeconds;
  return isSameWait && comparableText(one) === comparableText(other);
}

/** The response as text, without the parts that differ between any two requests: ids, codes and times. */
function comparableText({ status, headers, body }: ClientResponse): string {
  const text = JSON.stringify(body)
    .replace(/"requestId":"[\da-f-]{36}"/, '"requestId":"…"')
    .replace(/"devCode":"\d{6}"/, '"devCode":"…"')
    .replace(/"devLink":"[^"]+"/, '"devLink":"…"');
  const lines = Object.entries(headers).map(([name, value]) => {
    const isPerRequest = name === 'date' || name === 'x-request-id';
    // Retry-After depends on the time of the request, and so does its number of digits.
    const seconds = name === 'retry-after' ? '…' : value;
    return `${name}: ${isPerRequest ? '…' : seconds}`;
  });
  return [status, ...lines, text].join('\n');
}
