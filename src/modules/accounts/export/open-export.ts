/** Exports of people who ask for them at the same time. */
import type { Readable } from 'node:stream';
import { FairQueue, largestNetworkOf, minuteMs } from '#base';
import { createLoader } from '#pg';
import type { ExportSection } from '../../../http/export-section.ts';
import type { BaseServices } from '../../../http/services.ts';
import { readSmallExport, streamExport, TOO_LARGE } from './export-account.ts';
import { openStream } from './open-stream.ts';

/** `eventId`: only what the person does at this event; null for everything. */
export type ExportedPerson = { userId: string; eventId: string | null };

/**
 * The JSON of a person's export; null if the account does not exist. A stream must be read or destroyed.
 * @param address that of the client
 */
export type OpenExport = (person: ExportedPerson, address: string) => Promise<Buffer | Readable | null>;

const maxConcurrentExports = 1;
/** How long a request may wait for the first byte of its export. */
export const exportTimeoutMs = 60_000;
/** How long a small export may take on a replica. */
const replicaTimeoutMs = 20_000;
/** A streamed export keeps a connection and a snapshot of the database as long as the client receives it. */
const maxStreamMs = 10 * minuteMs;

/** @param sections in the order of the document */
export function createExports(
  { db, replicas, clock, config }: BaseServices,
  sections: ExportSection[],
): OpenExport {
  const { secretKey, publicUrl } = config;
  const requestOf = ({ userId: id, eventId }: ExportedPerson) => ({
    account: { id, secretKey, publicUrl },
    ...{ sections, eventId, now: clock() },
  });
  // Concurrent requests of one person share a small export.
  const readSmall = createLoader(
    (people: ExportedPerson[]) =>
      Promise.all(
        people.map((person) =>
          replicas.read((db) => readSmallExport(db, requestOf(person)), replicaTimeoutMs),
        ),
      ),
    {
      keyOf: ({ userId, eventId }) => `${userId} ${eventId}`,
      concurrency: maxConcurrentExports,
      maxBatchSize: 1,
      timeoutMs: exportTimeoutMs,
    },
  );
  const queue = new FairQueue({
    concurrency: maxConcurrentExports,
    maxWaitingPerClient: 4,
    maxWaiting: 100,
    timeoutMs: exportTimeoutMs / 2,
    retryAfter: 60,
  });
  return async (person, address) => {
    const small = await readSmall(person);
    if (small !== TOO_LARGE) return small;
    // On the primary: a replica cancels a read whose rows the primary removes meanwhile.
    const read = () => streamExport(db, requestOf(person));
    return await openStream(read, { queue, client: largestNetworkOf(address), timeoutMs: maxStreamMs });
  };
}
