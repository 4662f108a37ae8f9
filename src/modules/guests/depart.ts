import { type ChangedRecords, recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { listAreGuests } from '../events/audience.ts';
import { type Answerer, endLockedAnswer, lockOwnAnswer } from './answers.ts';
import type { GuestServices } from './services.ts';

type Departure = { eventId: string; isRemoved: boolean };

/**
 * Ends all that a person has at an event but the guest tokens, and runs `write` before the change log is written.
 * @param isRemoved the organizer removes the person, who otherwise leaves
 * @param write gets whether the person had anything
 */
export async function depart(
  tx: Transaction,
  services: Pick<GuestServices, 'rsvps' | 'bookings' | 'claims' | 'departureHooks'>,
  person: Answerer,
  { eventId, isRemoved }: Departure,
  write: (hadAny: boolean) => Promise<void> = async () => {},
): Promise<void> {
  const key = { eventId, userId: person.caller.id };
  const claimed = await lockOwnAnswer(tx, key);
  let [hadAny = false] = await listAreGuests(tx, [key]);
  const records: ChangedRecords[] = [];
  for (const { run } of services.departureHooks) {
    const ended = await run(tx, { ...key, isRemoved });
    hadAny ||= ended.hadAny;
    records.push(...(ended.records ?? []));
  }
  await write(hadAny);
  await endLockedAnswer(tx, services, person, { eventId, claimed });
  if (records.length > 0) await recordChange(tx, { records });
}
