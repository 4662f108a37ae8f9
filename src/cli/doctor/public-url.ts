/** Whether PUBLIC_URL leads to this Potluck, and what a proxy on the way does to requests. */
import manifest from '../../../package.json' with { type: 'json' };
import { localUrl } from '../../config/network.ts';
import { type Answer, ask, describeAnswer, parseJson } from '../../doctor/ask.ts';
import type { Context } from '../../doctor/context.ts';
import {
  broken,
  type Check,
  examine,
  type Finding,
  good,
  type Result,
  skipped,
  warning,
} from '../../doctor/finding.ts';
import { webPush } from './pages.ts';
import { passage } from './proxy.ts';

const through = [...passage, webPush];

/** Examines PUBLIC_URL from outside. Where it leads elsewhere, there is nothing more to see. */
export async function examinePublicUrl(context: Context): Promise<Finding[]> {
  const own = await examine(server, context);
  const isRunning = own.some(({ state }) => state === 'good');
  const found = await examine(reach(isRunning), context);
  if (found.every(({ state }) => state === 'good' || state === 'warning'))
    return [...own, ...found, ...(await Promise.all(through.map((check) => examine(check, context)))).flat()];
  const text = 'PUBLIC_URL does not lead to a running Potluck.';
  return [...own, ...found, ...through.map(({ name }) => ({ check: name, ...skipped(text) }))];
}

const startIt = 'Start the server (npm start). Its output says why it ends.';

const server: Check = {
  name: 'server',
  variables: ['HOST', 'PORT'],
  async run({ config: { host, port } }) {
    const url = localUrl(host, port);
    const answer = await ask(`${url}/healthz`).catch((error: Error) => error);
    if (answer instanceof Error) return skipped(`No server runs at ${url} (${codeOf(answer)}).`, startIt);
    return (
      (await findStranger(url, answer, 'Set PORT to a free port.')) ??
      good(`Potluck ${manifest.version} runs at ${url}.`)
    );
  },
};

const codeOf = (error: NodeJS.ErrnoException): string => error.code || error.message;

const reach = (isRunning: boolean): Check => ({
  name: 'PUBLIC_URL',
  variables: ['PUBLIC_URL', 'HOST'],
  async run({ config: { publicUrl } }) {
    const answer = await ask(`${publicUrl}/healthz`).catch((error: Error) => error);
    if (answer instanceof Error) {
      const text = `${publicUrl} does not respond (${codeOf(answer)}).`;
      if (!isRunning) return skipped(text, startIt);
      return broken(
        text,
        'Start the proxy, let it pass requests on to the server, and open its port in the firewall.',
      );
    }
    const stranger = await findStranger(
      publicUrl,
      answer,
      'Let the proxy pass requests for this host on to the server (docs/operating.md, Reverse proxy).',
    );
    return stranger ?? [await describeReadiness(publicUrl), describeClock(answer)];
  },
});

/** Returns what responds in place of this version of Potluck; null if it does. */
async function findStranger(url: string, answer: Answer, next: string): Promise<Result | null> {
  const { location } = answer.headers;
  if (answer.status >= 300 && answer.status < 400)
    return broken(
      `${url} leads to ${withoutQuery(location, url)}.`,
      'Set PUBLIC_URL to the address that people open in the end.',
    );
  if ([502, 503, 504].includes(answer.status))
    return broken(`At ${url} a proxy does not reach the server: ${describeAnswer(answer)}.`, startIt);
  if (answer.status !== 200 || parseJson(answer.text).status !== 'ok' || !answer.headers['x-request-id'])
    return broken(`At ${url} another server responds: ${describeAnswer(answer)}.`, next);
  const { text } = await ask(`${url}/openapi.json`);
  const version = /"version":\s*"([\w.+-]{1,40})"/.exec(text)?.[1] ?? 'unknown';
  if (version === manifest.version) return null;
  return broken(
    `At ${url} the version ${version} of Potluck responds; this is ${manifest.version}.`,
    'Restart the server with this version, or run the command of its version.',
  );
}

function withoutQuery(location: string | undefined, base: string): string {
  if (location === undefined || !URL.canParse(location, base)) return 'no address';
  const { origin, pathname } = new URL(location, base);
  return origin + pathname.slice(0, 80);
}

async function describeReadiness(url: string): Promise<Result> {
  const answer = await ask(`${url}/readyz`);
  const outages = parseJson(answer.text).outages;
  if (answer.status !== 200)
    return broken(
      `The server responds, and is not ready: ${describeAnswer(answer)}.`,
      'Read what the lines about the database say here, and the outages in the log.',
    );
  if (!Array.isArray(outages)) return good(`Potluck ${manifest.version} responds at ${url} and is ready.`);
  return warning(
    `The server is ready, and has an outage of: ${outages.join(', ')}.`,
    'The log of the server has the reason (docs/operating.md, Logs).',
  );
}

/** The header has whole seconds, and an answer may be a few seconds old. */
const maxDifferenceSeconds = 5;

function describeClock({ headers }: Answer): Result {
  const seconds = Math.round((Date.parse(headers.date ?? '') - Date.now()) / 1_000);
  if (Number.isNaN(seconds))
    return warning('The responses have no date.', 'Let the proxy pass the header Date on.');
  if (Math.abs(seconds) <= maxDifferenceSeconds) return good('Its clock is that of this machine.');
  return warning(
    `The clock at PUBLIC_URL is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    'Synchronize both (NTP).',
  );
}
