/** A stub of an SMS service over HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Received = Pick<IncomingMessage, 'method' | 'headers'> & { url: URL; body: string };
export type Respond = (response: ServerResponse, request: Received) => void;

/** Responds with a status and JSON. */
export const respondWith =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));

export type SmsService = {
  url: string;
  /** The requests so far. */
  received: Received[];
  /** Responds to the next requests; 200 at first. */
  respond: Respond;
  close(): void;
};

export async function openSmsService(): Promise<SmsService> {
  const server = createServer(async (request, response) => {
    const { method, headers, url = '' } = request;
    const received = { method, headers, url: new URL(url, service.url), body: await text(request) };
    service.received.push(received);
    service.respond(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: SmsService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    respond: respondWith(200),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

/** The code in a message. */
export const codeIn = (message: string | undefined): string => /\d{6}/.exec(message ?? '')?.[0] ?? 'none';
