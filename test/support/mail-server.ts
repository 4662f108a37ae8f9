/** A mail server for tests, whose replies a test chooses: refusals, silence, and connections that are lost. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** The points of a conversation at which a test may choose the reply. `TEXT`: after the whole mail. */
export type MailCommand = 'GREETING' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'TEXT';

/** A reply of a test: words; `drop` closes the connection, and `hang` says nothing. Undefined: the usual reply. */
export type Reply = string | 'drop' | 'hang' | undefined;

export type ReceivedMail = {
  from: string;
  to: string;
  /** As it was sent, without the final dot. */
  text: string;
  isEncrypted: boolean;
  /** Of `AUTH PLAIN`; null without. */
  user: string | null;
};

type Options = {
  tls?: { cert: string; key: string };
  /** TLS from the first byte on. */
  isImplicit?: boolean;
  /** @param to the recipient of the mail, as far as it is known */
  reply?: (command: MailCommand, to: string) => Reply | Promise<Reply>;
};

const usual: Record<MailCommand, string> = {
  GREETING: '220 test ESMTP',
  EHLO: '250 ok',
  AUTH: '235 2.7.0 ok',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  TEXT: '250 2.0.0 accepted',
};

export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** How many connections began. */
  connections = 0;
  /** What decides replies; tests replace it. */
  reply: NonNullable<Options['reply']>;
  readonly #server: Server;
  readonly #options: Options;
  readonly #sockets = new Set<Socket>();

  constructor(options: Options = {}) {
    this.#options = options;
    this.reply = options.reply ?? (() => undefined);
    this.#server = createServer((socket) => {
      this.connections++;
      this.#sockets.add(socket.on('close', () => this.#sockets.delete(socket)));
      const { tls, isImplicit } = options;
      const stream = isImplicit && tls ? secure(socket, tls) : socket;
      void this.#converse(stream, stream !== socket);
    });
  }

  async listen(port = 0): Promise<number> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections, among them those that clients keep for the next mail. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.disconnect();
    if (this.#server.listening) await once(this.#server.close(), 'close');
  }

  async #converse(first: Socket, isFirstEncrypted: boolean): Promise<void> {
    let [socket, isEncrypted, rest] = [first, isFirstEncrypted, ''];
    const mail: ReceivedMail = { from: '', to: '', text: '', isEncrypted, user: null };
    const answer = async (command: MailCommand, words = usual[command]): Promise<boolean> => {
      const reply = (await this.reply(command, mail.to)) ?? words;
      if (reply === 'drop') socket.destroy();
      else if (reply !== 'hang') socket.write(`${reply}\r\n`);
      return reply === words;
    };
    const readUntil = async (end: string): Promise<string | null> => {
      while (!rest.includes(end)) {
        const chunk = await nextChunk(socket);
        if (!chunk) return null;
        rest += chunk.toString('latin1');
      }
      const at = rest.indexOf(end);
      const found = rest.slice(0, at);
      rest = rest.slice(at + end.length);
      return found;
    };
    socket.on('error', () => {});
    if (!(await answer('GREETING'))) return;
    for (;;) {
      const line = await readUntil('\r\n');
      if (line === null) return;
      const [verb = ''] = line.toUpperCase().split(/[ :]/);
      if (verb === 'EHLO') {
        const offers = [
          '250-test',
          ...(this.#options.tls && !isEncrypted ? ['250-STARTTLS'] : []),
          '250 AUTH PLAIN',
        ];
        await answer('EHLO', offers.join('\r\n'));
      } else if (verb === 'STARTTLS' && this.#options.tls) {
        socket.write('220 go on\r\n');
        [socket, isEncrypted] = [secure(socket, this.#options.tls), true];
        socket.on('error', () => {});
      } else if (verb === 'AUTH') {
        mail.user =
          Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0')[1] ?? '';
        await answer('AUTH');
      } else if (verb === 'MAIL') {
        Object.assign(mail, { from: addressIn(line), isEncrypted });
        await answer('MAIL');
      } else if (verb === 'RCPT') {
        mail.to = addressIn(line);
        await answer('RCPT');
      } else if (verb === 'DATA') {
        if (!(await answer('DATA'))) continue;
        mail.text = (await readUntil('\r\n.\r\n')) ?? '';
        // Before the reply: a mail that was read may arrive, whatever the sender learns of it.
        this.received.push({ ...mail });
        await answer('TEXT');
      } else socket.write(`${others[verb] ?? '502 5.5.1 unknown'}\r\n`);
    }
  }
}

const others: Record<string, string> = { QUIT: '221 bye', RSET: '250 ok', NOOP: '250 ok' };

/** @returns null when the connection is closed */
async function nextChunk(socket: Socket): Promise<Buffer | null> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const events = [once(socket, 'data', { signal }), once(socket, 'close', { signal })];
  const [chunk] = await Promise.race(events).catch(() => []);
  for (const event of events) event.catch(() => {});
  waiting.abort();
  return Buffer.isBuffer(chunk) ? chunk : null;
}

const secure = (socket: Socket, tls: { cert: string; key: string }): Socket =>
  new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) }).on('error', () => {});

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';

/** The value of a header of a mail, unfolded. */
export const headerOf = ({ text }: ReceivedMail, name: string): string =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im')
    .exec(text.split('\r\n\r\n')[0] ?? '')?.[1]
    ?.replace(/\r\n\s+/g, ' ') ?? '';

/** The decoded text of a mail, or of one of its parts: the first one has no HTML, the second one is HTML. */
export function textOf(mail: ReceivedMail, part = 1): string {
  const [, ...paragraphs] = mail.text.split('\r\n\r\n');
  const encoded = paragraphs.join('\r\n\r\n');
  const [, boundary] = /boundary="([^"]+)"/.exec(headerOf(mail, 'Content-Type')) ?? [];
  if (boundary) return textOf({ ...mail, text: encoded.split(`--${boundary}`)[part]?.trimStart() ?? '' });
  const encoding = headerOf(mail, 'Content-Transfer-Encoding');
  if (encoding === 'base64') return Buffer.from(encoded, 'base64').toString();
  if (encoding !== 'quoted-printable') return encoded;
  const toByte = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const bytes = encoded.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, toByte);
  return Buffer.from(bytes, 'latin1').toString();
}
