/** Other servers that Potluck uses: the OpenID Connect provider, the bucket of images, replicas of the database, and a collector. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { allowStandby } from '#base';
import { connect, one, sql } from '#pg';
import { type Destination, postOnce, type Signal, signals } from '#telemetry';
import { openStorage } from '../../modules/uploads/storage.ts';
import { databaseReason } from '../command/command-context.ts';
import { parseJson } from './ask.ts';
import { broken, type Check, good, type Result, reasonOf, skipped, warning } from './finding.ts';

export const oidcProvider: Check = {
  name: 'OpenID Connect',
  variables: ['OIDC_'],
  async run({ config: { oidc, publicUrl } }) {
    if (!oidc) return skipped('No provider is configured.');
    const url = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) }).catch(
      (error: Error) => error,
    );
    if (response instanceof Error)
      return broken(
        `${url} does not respond: ${reasonOf(response)}.`,
        'Start the provider, correct OIDC_ISSUER, or let this machine connect to it. For an authority of your own, set NODE_EXTRA_CA_CERTS.',
      );
    const { issuer } = parseJson(await response.text());
    if (response.status !== 200 || typeof issuer !== 'string')
      return broken(
        `${url} has no description of a provider (status ${response.status}).`,
        'Correct OIDC_ISSUER.',
      );
    if (URL.canParse(issuer) && new URL(issuer).href === oidc.issuer)
      return good(`${issuer} responds. It must know the address ${publicUrl}/sign-in/oidc.`);
    return broken(
      `OIDC_ISSUER is ${oidc.issuer}, and the provider calls itself ${issuer.slice(0, 200)}.`,
      'Set OIDC_ISSUER to what the provider calls itself, character by character.',
    );
  },
};

/** Writes a small object as an image is written, and deletes it again. */
export const bucket: Check = {
  name: 'bucket',
  variables: ['S3_'],
  async run({ config }) {
    if (!config.s3) return skipped('Images are in DATA_DIR.');
    const storage = openStorage(config);
    const [name, bytes] = [`doctor-${randomUUID()}`, Buffer.from('doctor')];
    const attempt = (what: string, step: Promise<void>) =>
      step.then(
        () => null,
        (error: Error) =>
          broken(
            `No object can be ${what} ${storage.place}: ${error.name}, ${reasonOf(error)}.`,
            'Correct the variables S3_…, and let the keys read, write and delete objects below uploads/.',
          ),
      );
    const written = await attempt('written to', storage.write(name, bytes));
    const found = written ?? (await attempt('read from', expectSame(storage.read(name), bytes)));
    // Also after a failure: the object may have arrived.
    const removed = await attempt('deleted in', storage.remove(name));
    return found ?? removed ?? good(`An object was written to ${storage.place}, read and deleted.`);
  },
};

async function expectSame(reading: Promise<Readable | null>, expected: Buffer): Promise<void> {
  const found = await reading;
  if (!found || !(await buffer(found)).equals(expected)) throw new Error('it has another content');
}

export const collector: Check = {
  name: 'telemetry',
  variables: ['OTEL_'],
  async run({ config: { telemetry }, stop }) {
    if (!telemetry) return skipped('No collector is configured.');
    return Promise.all(
      signals.flatMap((signal) => {
        const to = telemetry.destinations[signal];
        return to ? examineCollector(signal, { ...to, timeoutMs: 5_000 }, stop) : [];
      }),
    );
  },
};

/** Sends a message without spans, records or metrics. */
async function examineCollector(signal: Signal, to: Destination, stop: AbortSignal): Promise<Result> {
  const { origin, pathname } = new URL(to.url);
  const { lost, reason, retryAfterMs } = await postOnce(to, {}, stop);
  if (lost === 0 && retryAfterMs === undefined) return good(`${origin}${pathname} takes ${signal}.`);
  return broken(
    `${origin}${pathname} takes no ${signal}: ${reason}.`,
    'Start the collector, with OTLP over HTTP (port 4318), or correct OTEL_EXPORTER_OTLP_ENDPOINT and its headers. Servers run without it.',
  );
}

/** In seconds. Reads that need newer data run on the primary. */
const longLag = 10;

export const replicas: Check = {
  name: 'replicas',
  variables: ['DATABASE_'],
  async run({ config: { databaseReplicaUrls: urls } }) {
    if (urls.length === 0) return skipped('No replicas are configured.');
    return Promise.all(urls.map(examineReplica));
  },
};

async function examineReplica(url: string): Promise<Result> {
  const { host, searchParams } = new URL(url);
  const name = searchParams.get('host') ?? host;
  const db = connect(allowStandby(url), 1);
  try {
    const { isStandby, isReceiving, lag } = one(
      await db.query<{ isStandby: boolean; isReceiving: boolean; lag: number | null }>(sql`
        select pg_is_in_recovery() as is_standby, exists (select 1 from pg_stat_wal_receiver) as is_receiving,
          case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
            else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 end as lag`),
    );
    if (!isStandby)
      return broken(
        `${name} is no replica: it accepts writes.`,
        'Name streaming replicas of DATABASE_URL alone.',
      );
    if (!isReceiving || lag === null)
      return warning(
        `The replica ${name} does not follow its primary.`,
        'Correct its primary_conninfo; its log has the reason.',
      );
    const text = `The replica ${name} is ${lag.toFixed(1)} s behind.`;
    return lag > longLag
      ? warning(text, 'Until it has caught up, most reads run on the primary. Look at its disk and network.')
      : good(text);
  } catch (error) {
    return broken(
      `The replica ${name} cannot be used: ${databaseReason(error) ?? reasonOf(error)}.`,
      'Start it, correct its URL in DATABASE_REPLICA_URLS, or remove it. Servers read from the primary meanwhile.',
    );
  } finally {
    await db.end({ timeoutMs: 0 });
  }
}
