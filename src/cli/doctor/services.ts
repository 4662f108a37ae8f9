/** Other servers that Potluck uses: replicas of the database, and a collector. */
import { allowStandby } from '#base';
import { connect, one, sql } from '#pg';
import { type Destination, postOnce, type Signal, signals } from '#telemetry';
import { broken, type Check, good, type Result, reasonOf, skipped, warning } from '../../doctor/finding.ts';
import { databaseReason } from '../command/command-context.ts';

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
