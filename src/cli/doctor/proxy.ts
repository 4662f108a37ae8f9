/** What a proxy in front of the server does to requests: their origin, large bodies, streams, metrics and addresses. */
import { isLoopbackHost, isLoopbackUrl } from '#base';
import { ask, describeAnswer, isProblem, parseJson } from '../../doctor/ask.ts';
import { broken, type Check, good, reasonOf, skipped, warning } from '../../doctor/finding.ts';
import { maxBodyBytes } from '../../modules/uploads/receive-body.ts';

const origin: Check = {
  name: 'origin',
  async run({ config: { publicUrl } }) {
    // A sign-in without a code: after the check of the origin, its body is refused.
    const answer = await ask(`${publicUrl}/v1/auth/browser-session`, {
      method: 'POST',
      headers: { origin: publicUrl, 'content-type': 'application/json' },
      body: '{}',
    });
    const { code, detail } = parseJson(answer.text);
    if (isProblem(answer) && code === 'cross_site_request')
      return broken(
        `The server refuses requests of its own pages, which come from ${publicUrl}: ${detail}`,
        'Start the server with this PUBLIC_URL, and let the proxy pass Origin on unchanged.',
      );
    if (isProblem(answer) && answer.status === 400)
      return good('The server accepts requests of its own pages.');
    return broken(
      `A POST does not reach the server: ${describeAnswer(answer)}.`,
      'Let the proxy pass all methods on to the server.',
    );
  },
};

const uploadTimeoutMs = 9_000;
const allowBodies = 'Allow bodies of 11 MiB in the proxy; in nginx: client_max_body_size 11m;';

const upload: Check = {
  name: 'upload',
  async run({ config: { publicUrl } }) {
    const answer = await ask(`${publicUrl}/v1/uploads`, {
      method: 'POST',
      headers: { 'content-type': 'image/jpeg' },
      body: Buffer.alloc(maxBodyBytes),
      timeoutMs: uploadTimeoutMs,
    }).catch((error: NodeJS.ErrnoException) => error);
    // A proxy reads all of it first, which takes its time on a slow network.
    if (answer instanceof Error && answer.code === 'ETIMEDOUT')
      return skipped(
        `To send 10 MiB took longer than ${uploadTimeoutMs / 1_000} s.`,
        'Run this command on a faster network.',
      );
    if (answer instanceof Error)
      return broken(
        `The connection closes while an image of 10 MiB is sent (${reasonOf(answer)}).`,
        allowBodies,
      );
    // The server refuses it because no one is signed in.
    if (isProblem(answer)) return good('An image of 10 MiB reaches the server.');
    return broken(`An image of 10 MiB does not reach the server: ${describeAnswer(answer)}.`, allowBodies);
  },
};

const live: Check = {
  name: 'live streams',
  async run({ config: { publicUrl } }) {
    const { text } = await ask(`${publicUrl}/v1/events?limit=1`);
    const [event] = [parseJson(text).data].flat() as ({ id?: string } | undefined)[];
    const id = event?.id;
    if (!id) return skipped('There is no public event with a stream to listen to.');
    const begun = performance.now();
    const answer = await ask(`${publicUrl}/v1/events/${id}/live`, {
      headers: { accept: 'text/event-stream' },
      onlyStart: true,
      timeoutMs: 3_000,
    }).catch((error: Error) => error);
    if (answer instanceof Error)
      return broken(
        `A stream of live changes does not begin: ${answer.message}.`,
        'Turn the buffering of responses off in the proxy for /v1/events/; nginx needs no setting, unless it ignores X-Accel-Buffering.',
      );
    if (answer.status === 200)
      return good(`A stream begins after ${Math.round(performance.now() - begun)} ms.`);
    return broken(
      `A stream of live changes is refused: ${describeAnswer(answer)}.`,
      'Let the proxy pass /v1/events/ on to the server.',
    );
  },
};

const metrics: Check = {
  name: 'metrics',
  variables: ['HOST', 'PORT'],
  async run({ config: { host, port, publicUrl } }) {
    if (isServerItself(publicUrl, host, port))
      return skipped('There is no proxy that could show /metrics to others.');
    const { status } = await ask(`${publicUrl}/metrics`);
    if (status !== 200)
      return good(`The metrics of the server cannot be read from outside: status ${status}.`);
    return warning(
      `Everyone can read the metrics of the server at ${publicUrl}/metrics.`,
      'Respond to /metrics with 404 in the proxy, and let the proxy add X-Forwarded-For.',
    );
  },
};

/** Whether PUBLIC_URL is the address at which the server listens for this machine alone: there is no proxy. */
const isServerItself = (publicUrl: string, host: string, port: number): boolean =>
  isLoopbackHost(host) && isLoopbackUrl(publicUrl) && new URL(publicUrl).port === `${port}`;

const addresses: Check = {
  name: 'TRUST_PROXY',
  variables: ['TRUST_PROXY'],
  async run({ config: { publicUrl, trustProxy } }) {
    const look =
      'Set LOG_REQUESTS=on, open PUBLIC_URL on another machine, and compare the address of its entry in the log.';
    if (publicUrl.startsWith('https:') && !trustProxy)
      return warning(
        'The server trusts no proxy, and one ends TLS in front of it: all people share the limits of one address.',
        'Set TRUST_PROXY to the address of the proxy, such as loopback.',
      );
    return skipped('Whether the server sees the addresses of people cannot be seen from outside.', look);
  },
};

export const passage: Check[] = [origin, upload, live, metrics, addresses];
