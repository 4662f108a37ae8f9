/** Requests to SMS services. */
import { requestSpan } from '#telemetry';
import { SmsFailure, type SmsFailureReason } from './failure.ts';

/** Gives a message to an SMS service. @throws SmsFailure */
export type SendText = (phone: string, text: string) => Promise<void>;

/** Shorter than the timeout of a request, so that the response names the reason. */
const timeoutMs = 4_000;
/** More than any service responds. The rest is not read. */
const maxResponseBytes = 64 * 1024;
/** The codes of errors that occur before a connection exists. */
const connectionErrors = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/**
 * @returns the status and the text of the response; null for a text that did not arrive
 * @throws SmsFailure if there is no response
 */
export async function callSmsService(
  url: string,
  request: Pick<RequestInit, 'method' | 'body'> & { headers: Record<string, string> },
): Promise<{ status: number; text: string | null }> {
  const response = await requestSpan('send SMS', { method: request.method, url }, (traceHeaders) =>
    fetch(url, {
      ...request,
      headers: { ...traceHeaders, ...request.headers },
      // A redirect would send the number, the code and the keys to another server.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }),
  ).catch((error) => {
    throw failureOf(error);
  });
  // The text is read also where the status decides, so that the connection can be used again.
  return { status: response.status, text: await readStart(response).catch(() => null) };
}

async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxResponseBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

/** The failure for an error of `fetch`, whose cause is the error of the connection. */
function failureOf(error: Error & { cause?: NodeJS.ErrnoException }): SmsFailure {
  const code = error.name === 'TimeoutError' ? 'ETIMEDOUT' : error.cause?.code;
  return new SmsFailure(reasonOf(`${code}`), { status: undefined, code });
}

function reasonOf(code: string): SmsFailureReason {
  if (connectionErrors.test(code)) return 'unreachable';
  return code === 'ETIMEDOUT' ? 'timeout' : 'lost';
}
