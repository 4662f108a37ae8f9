/** Sends the announcements whose time has come. */
import { type Database, sql, type Transaction, transaction } from '#pg';
import { countRecipients } from '../../outbox/audiences.ts';
import { insertDecisions } from '../../outbox/decisions.ts';
import { isMissed, type Moment } from './policy.ts';
import { listDue, lockAnnouncement, markMissed, markSent } from './repo.ts';
import { findSubject, type SubjectKey, selectSubject } from './subjects.ts';

type Services = { db: Database; clock: () => Date };

/** Sends all that are due, each in a transaction of its own: of two servers, the second finds it sent. */
export async function sendAnnouncements({ db, clock }: Services): Promise<void> {
  for (const key of await listDue(db, clock()))
    await transaction(db, (tx) => sendAnnouncement(tx, key, clock()));
}

type Key = SubjectKey & { id: string; authorId: string };

/** Locks the author and the event or the series first: no suspension and no deletion comes between the decision and the commit. */
async function sendAnnouncement(tx: Transaction, key: Key, now: Date): Promise<void> {
  const [author] = await tx.query<NonNullable<Moment['author']>>(sql`
    select id, role from users where id = ${key.authorId} and suspended_at is null for key share`);
  await tx.query(sql`${selectSubject(key)} for share`);
  const subject = await findSubject(tx, key, now);
  const row = await lockAnnouncement(tx, key);
  // Another server has sent it, or it was deleted or moved.
  if (!subject || row?.status !== 'scheduled' || row.sendAt > now) return;
  const { authorId, audience } = row;
  if (isMissed(row, { now, author: author ?? null, subject })) {
    await markMissed(tx, row);
    const missed = { what: 'missed', reason: null, title: subject.title } as const;
    const [eventId] = subject.people.eventIds;
    if (eventId) await tx.execute(insertDecisions([{ userId: authorId, eventId, ...missed }]));
    return;
  }
  const addressed = { subject: subject.people, authorId, audience };
  await markSent(tx, row, { now, recipients: await countRecipients(tx, addressed) });
}
