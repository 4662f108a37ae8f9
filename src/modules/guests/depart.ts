import { type ChangedRecords, recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { listAreGuests } from '../events/audience.ts';
import { listClaimsOf } from '../items/repo.ts';
import { type Answerer, endAnswer } from './answers.ts';
import { lockAnswer } from './lock-answer.ts';
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
  await lockAnswer(tx, eventId, await listClaimsOf(tx, key));
  let [hadAny = false] = await listAreGuests(tx, [key]);
  const records: ChangedRecords[] = [];
  for (const { run } of services.departureHooks) {
    const ended = await run(tx, { ...key, isRemoved });
    hadAny ||= ended.hadAny;
    records.push(...(ended.records ?? []));
  }
  await write(hadAny);
  await endAnswer(tx, services, person, eventId);
  if (records.length > 0) await recordChange(tx, { records });
}
