/** A push service on this machine, to which servers send what is for `push.example.net`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { Browser } from '../test/support/push-browser.ts';
import type { Environment, Person } from './environment.ts';

export type PushStub = {
  /** Environment variables of servers that send to it. */
  env: Record<string, string>;
  /** How many pushes each browser got, by the path of its endpoint. */
  received: Map<string, number>;
  close(): void;
};

export async function openPushStub(): Promise<PushStub> {
  const received = new Map<string, number>();
  const server = createServer((request, response) => {
    // A push counts when it arrives, also if its sender is killed before the response.
    received.set(request.url ?? '', (received.get(request.url ?? '') ?? 0) + 1);
    request.resume().on('end', () => response.writeHead(201).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const preload = pathToFileURL(`${import.meta.dirname}/push-preload.ts`);
  return {
    env: {
      PUBLIC_URL: 'https://potluck.example',
      NODE_OPTIONS: `--import=${preload}`,
      PUSH_STUB_PORT: String((server.address() as AddressInfo).port),
    },
    received,
    close: () => void server.close(),
  };
}

/** Subscribes a browser of each person; all of them have the same keys. */
export async function subscribeAll({ sql }: Environment, people: Person[]): Promise<void> {
  const { keys } = new Browser().toJSON();
  await sql`
    insert into push_subscriptions (user_id, id, session_id, endpoint, endpoint_hash, p256dh, auth, created_at)
    select user_id, gen_random_uuid(), id, 'https://push.example.net/' || user_id, sha256(user_id::text::bytea),
      ${keys.p256dh}, ${keys.auth}, now()
    from sessions where user_id = any(${people.map(({ id }) => id)}::uuid[])`;
}
