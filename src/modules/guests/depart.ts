import { type ChangedRecords, recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { listAreGuests } from '../events/audience.ts';
import { type Answerer, endLockedAnswers, lockOwnAnswers } from './answers.ts';
import type { GuestServices } from './services.ts';

type Departure = { eventIds: string[]; isRemoved: boolean };

/**
 * Ends all that a person has at events but the guest tokens, and runs `write` before the change log is written.
 * @param isRemoved the organizer removes the person, who otherwise leaves
 * @param write gets whether the person had anything
 */
export async function depart(
  tx: Transaction,
  services: Pick<GuestServices, 'rsvps' | 'bookings' | 'claims' | 'departureHooks'>,
  person: Answerer,
  { eventIds, isRemoved }: Departure,
  write: (hadAny: boolean) => Promise<void> = async () => {},
): Promise<void> {
  const keys = eventIds.map((eventId) => ({ eventId, userId: person.caller.id }));
  const claimed = await lockOwnAnswers(tx, keys);
  let hadAny = (await listAreGuests(tx, keys)).includes(true);
  const records: ChangedRecords[] = [];
  for (const { run } of services.departureHooks)
    for (const key of keys) {
      const ended = await run(tx, { ...key, isRemoved });
      hadAny ||= ended.hadAny;
      records.push(...(ended.records ?? []));
    }
  await write(hadAny);
  await endLockedAnswers(tx, services, person, { eventIds, claimed });
  if (records.length > 0) await recordChange(tx, { records });
}
