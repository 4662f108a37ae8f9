/** The live stream of an event. A module of its own, which pages load after everything else. */
import { type LiveMessage, listen, type OpenStream, ResponseError } from '@potluck/client';

/**
 * Yields messages until `signal` is aborted. The browser sends the cookie of the session, so the page does not load the
 * rest of the client.
 * @throws ResponseError if the server refuses the stream
 */
export function openStream(id: string, signal: AbortSignal): AsyncGenerator<LiveMessage> {
  const open: OpenStream = async (lastId) => {
    const headers = lastId === undefined ? undefined : { 'Last-Event-ID': lastId };
    const response = await fetch(`/v1/events/${id}/live`, { headers, signal });
    if (!response.ok || !response.body)
      throw new ResponseError(`The stream was refused: ${response.status}.`, response);
    return response.body;
  };
  return listen(open, { signal });
}

/** The event was deleted, or the session has ended. */
export const isRefusal = (error: unknown): boolean => error instanceof ResponseError && error.status < 500;
