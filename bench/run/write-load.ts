/** Writes at a fixed rate through a second server on the same database, while the app is measured. */
import { eventBody } from '../../test/support/factories.ts';
import { randomOf } from '../../test/support/random.ts';
import { idOf, userCount } from '../seed/ids.ts';
import type { Dataset } from '../seed.ts';
import { Failure } from './load.ts';
import { startApp } from './processes.ts';
import { type Request, send } from './response.ts';

/** Per second. Every second write of an event deletes the event that was created before, so that none remains. */
const [eventRate, rsvpRate] = [50, 500];

export type WriteLoad = {
  /** Stops the writes and the server. @throws Failure if a write failed */
  stop(): Promise<void>;
};

/** Starts the server and the writes. */
export async function startWriteLoad(dataset: Dataset, signal: AbortSignal): Promise<WriteLoad> {
  const server = await startApp(dataset, signal);
  const random = randomOf(11);
  const pending = new Set<Promise<unknown>>();
  const failures: string[] = [];
  const write = async (request: Request): Promise<string> => {
    const { status, body } = await send(server.port, request);
    if (status >= 300) failures.push(`${request.method} ${request.path}: ${status} ${body.slice(0, 200)}`);
    return body;
  };
  const start = (work: () => Promise<unknown>) => {
    const running = work()
      .catch((error: Error) => failures.push(error.message))
      .finally(() => pending.delete(running));
    pending.add(running);
  };

  const createAndDelete = async () => {
    const token = random.pick(dataset.tokens);
    const body = await write({
      method: 'POST',
      path: '/v1/events',
      token,
      body: JSON.stringify(eventBody()),
    });
    const { id } = JSON.parse(body) as { id: string };
    await write({ method: 'DELETE', path: `/v1/events/${id}`, token });
  };
  const setAndRemoveRsvp = async () => {
    const token = dataset.tokens[random.below(userCount)] ?? '';
    const path = `/v1/events/${idOf('event', 1 + random.below(dataset.events))}/rsvp`;
    const { status } = await send(server.port, {
      method: 'POST',
      path,
      token,
      body: '{"status":"interested"}',
    });
    // The dataset has private, cancelled and past events.
    if (status >= 500) failures.push(`POST ${path}: ${status}`);
    if (status === 200) await write({ method: 'POST', path, token, body: '{"status":null}' });
  };

  const timers = [
    setInterval(() => start(createAndDelete), 2_000 / eventRate),
    setInterval(() => start(setAndRemoveRsvp), 2_000 / rsvpRate),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(pending);
      await server.stop();
      if (failures.length > 0)
        throw new Failure(`${failures.length} writes failed, the first: ${failures[0]}`);
    },
  };
}
