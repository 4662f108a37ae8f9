/** The live stream of an event. A module of its own, which pages load after everything else. */
import { createClient, type LiveMessage, listenToEvent, ResponseError } from '@potluck/client';

/** Yields messages until `signal` is aborted. @throws ResponseError if the server refuses the stream */
export async function* openStream(id: string, signal: AbortSignal): AsyncGenerator<LiveMessage> {
  const client = createClient({ baseUrl: location.origin });
  const { stream } = await listenToEvent({ client, path: { id }, signal });
  yield* stream;
}

/** The event was deleted, or the session has ended. */
export const isRefusal = (error: unknown): boolean => error instanceof ResponseError && error.status < 500;
