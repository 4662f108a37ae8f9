/** RSVPs that follow from the answers of a person to series. */
import { isOneOf, lockEach, sql, type Transaction } from '#pg';
import type { UnlockedCaller } from '../../../identity/caller.ts';
import { shareSeries } from '../../events/series/repo.ts';
import { listOwnSeriesRsvps } from '../../events/series/series-rsvps.ts';
import type { AttendanceServices } from '../services.ts';

/** Keeps the dates of the series that a person has answered as they are, until the transaction ends. */
export async function shareAnsweredSeries(tx: Transaction, userId: string): Promise<void> {
  const answered = await listOwnSeriesRsvps(tx, userId);
  await lockEach(
    answered.map(({ seriesId }) => seriesId),
    String,
    (id) => shareSeries(tx, id),
  );
}

/**
 * Sets the RSVPs to coming dates that follow from the person's answers to series: dates that were made while the person was suspended
 * have none. The transaction must hold the lock of the person and those of `shareAnsweredSeries`. It writes the change log.
 */
export async function followSeries(
  tx: Transaction,
  { rsvps }: Pick<AttendanceServices, 'rsvps'>,
  caller: UnlockedCaller,
  now: Date,
): Promise<void> {
  const answers = new Map(
    (await listOwnSeriesRsvps(tx, caller.id)).map((answer) => [answer.seriesId, answer]),
  );
  if (answers.size === 0) return;
  const dates = await tx.query<{ id: string; seriesId: string }>(sql`
    select id, series_id from events
    where ${isOneOf(sql`series_id`, [...answers.keys()])} and end_at > ${now} order by id`);
  const commands = dates.flatMap(({ id: eventId, seriesId }) => {
    const answer = answers.get(seriesId);
    if (!answer) return [];
    const { status, extraGuests, isHidden } = answer;
    return [{ eventId, caller, status, extraGuests, isHidden, ofSeries: { isNew: false } }];
  });
  if (commands.length > 0) await rsvps.applyIn(tx, 'user', commands);
}
