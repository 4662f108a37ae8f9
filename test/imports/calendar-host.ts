/** A host of calendars, which answers as tests say. */
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

type Request = { at: number; headers: IncomingHttpHeaders };
type Answer = string | ((response: ServerResponse, request: Request) => void);

/** Starts the host, until the end of the file. Each test uses paths of its own. */
export async function startCalendarHost() {
  const answers = new Map<string, Answer>();
  const requests = new Map<string, Request[]>();
  const server = http.createServer(({ url = '', headers }, response) => {
    const request = { at: Date.now(), headers };
    requests.set(url, [...(requests.get(url) ?? []), request]);
    const answer = answers.get(url);
    if (typeof answer === 'function') answer(response, request);
    else if (answer === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', 'text/calendar').end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let paths = 0;
  /** An address that nothing else uses. */
  const address = (answer: Answer) => {
    const path = `/calendar-${++paths}.ics`;
    answers.set(path, answer);
    return {
      url: origin + path,
      say: (next: Answer) => void answers.set(path, next),
      requests: () => requests.get(path) ?? [],
    };
  };
  return { origin, address };
}
