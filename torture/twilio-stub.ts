/** A stub of Twilio, and the environment of servers that send messages to it, with the limits of production. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type TwilioStub = {
  /** The messages so far. `code`: the six digits of the text. */
  sent: { to: string; code: string }[];
  /** The environment of the servers. They take the address of a client from `X-Forwarded-For`. */
  env: Record<string, string>;
  close(): void;
};

/** Accepts every message. */
export async function openTwilioStub(): Promise<TwilioStub> {
  const sent: TwilioStub['sent'] = [];
  const server = createServer(async (request, response) => {
    const message = new URLSearchParams(await text(request));
    sent.push({ to: message.get('To') ?? '', code: /\d{6}/.exec(message.get('Body') ?? '')?.[0] ?? '' });
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1","status":"queued"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sent,
    env: { ...production, TWILIO_BASE_URL: url },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'http://127.0.0.1',
  TRUST_PROXY: 'loopback',
  SMS_DRIVER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
  TWILIO_AUTH_TOKEN: 'the-auth-token',
  TWILIO_FROM: '+12025550199',
};
