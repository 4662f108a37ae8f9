import { dayMs } from '#base';
import { type Database, isOneOf, sql, transaction } from '#pg';
import { keptMs } from '../accounts/guests.ts';
import { endMessages } from './end-invitations.ts';
import type { InvitationKey, InvitationRow } from './repo.ts';
import type { InvitationServices } from './services.ts';

const batchSize = 500;
/** Longer than anything counts towards a limit. */
const sendsKeptMs = 2 * dayMs;

/** Erases the contacts and names of invitations 30 days after the end of their event or of the last date of their series, and what no limit counts any more. */
export async function eraseOldInvitations({
  db,
  clock,
}: Pick<InvitationServices, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  const before = new Date(now.getTime() - keptMs);
  for (let found = batchSize; found === batchSize; ) {
    const rows = await listOld(db, before);
    found = rows.length;
    const [subjectIds, ids] = [rows.map(({ subjectId }) => subjectId), rows.map(({ id }) => id)];
    if (found > 0)
      await transaction(db, async (tx) => {
        await tx.execute(sql`
          update invitations set contact = null, contact_kind = null, name = null
          where ${isOneOf(sql`subject_id`, [...new Set(subjectIds)])} and ${isOneOf(sql`id`, ids)}`);
        await endMessages(tx, rows);
      });
  }
  await db.execute(sql`
    delete from invitation_sends
    where leaves_at < ${new Date(now.getTime() - sendsKeptMs)} and due_at < ${new Date(now.getTime() - sendsKeptMs)}`);
}

type OldInvitation = InvitationKey & Pick<InvitationRow, 'guestId' | 'contact'>;

async function listOld(db: Database, before: Date): Promise<OldInvitation[]> {
  const toEvents = await db.query<OldInvitation>(sql`
    select i.subject_id, i.id, i.guest_id, i.contact from invitations i join events e on e.id = i.subject_id
    where i.contact is not null and e.end_at < ${before} limit ${batchSize}`);
  if (toEvents.length > 0) return toEvents;
  const invited = await db.query<{ subjectId: string }>(
    sql`select distinct subject_id from invitations where is_of_series and contact is not null`,
  );
  if (invited.length === 0) return [];
  const ids = invited.map(({ subjectId }) => subjectId);
  const over = await db.query<{ seriesId: string }>(sql`
    select series_id from events where ${isOneOf(sql`series_id`, ids)}
    group by series_id having max(end_at) < ${before}`);
  if (over.length === 0) return [];
  const overIds = over.map(({ seriesId }) => seriesId);
  return await db.query<OldInvitation>(sql`
    select subject_id, id, guest_id, contact from invitations
    where ${isOneOf(sql`subject_id`, overIds)} and contact is not null limit ${batchSize}`);
}
