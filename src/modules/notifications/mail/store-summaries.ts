/** Stores the daily mails of organizers, about what people have done at their events since the mail before. */
import { hourMs, minId, newId } from '#base';
import { sql, type Transaction, transaction } from '#pg';
import { baseLanguage, type Language } from '../../../../web/src/lib/language/languages.ts';
import type { BaseServices } from '../../../http/services.ts';
import { timeIn } from '../../../lib/time-zones.ts';
import { insertMails } from '../../../mail/mails.ts';
import { mailedLevels, type SummaryKind, summaryKinds } from '../../../outbox/kinds.ts';
import { AdvisoryLock } from '../../../schema/locks.ts';
import { unreadSummaries } from '../summary-repo.ts';

/** Hours of the day in the time zone of the organizer's last event. After the end, the mail waits for the next day. */
const [morning, endOfMorning] = [7, 11];
/** Shorter than a day, because a run takes a moment: no day is left out. */
const pauseMs = 20 * hourMs;
const organizersPerPage = 500;

/** `kinds`: those that the person has mailed. */
type Organizer = { userId: string; email: string; language: Language | null; kinds: SummaryKind[] };
type LastMail = { userId: string; id: string; createdAt: Date };

/** Stores the mails that are due. Of two servers, one does. */
export async function storeSummaries({ db, clock }: Pick<BaseServices, 'db' | 'clock'>): Promise<void> {
  let after: string | null = minId;
  while (after !== null) after = await storePage(db, clock(), after);
}

/** @returns the last organizer of the page; null after the last page */
const storePage = (db: BaseServices['db'], now: Date, after: string): Promise<string | null> =>
  transaction(db, async (tx) => {
    const [lock] = await tx.query<{ isLocked: boolean }>(
      sql`select pg_try_advisory_xact_lock(${AdvisoryLock.mailSummaries}) as is_locked`,
    );
    if (!lock?.isLocked) return null;
    const organizers = await listOrganizers(tx, after);
    const due = await listDue(tx, organizers, now);
    const mails = due.map(({ userId, email, language }) => ({
      ...{ userId, id: newId(), kind: 'summary', subjectId: userId, sourceId: userId },
      ...{ address: email, language: language ?? baseLanguage },
    }));
    if (mails.length > 0) await tx.execute(await insertMails(tx, mails, now));
    return organizers.length < organizersPerPage ? null : (organizers.at(-1)?.userId ?? null);
  });

/** People with an address who have chosen mails. */
const listOrganizers = (tx: Transaction, after: string): Promise<Organizer[]> =>
  tx.query<Organizer>(sql`
    select t.user_id, u.email, u.language, array_agg(t.kind) as kinds
    from notification_settings t join users u on u.id = t.user_id
    where t.user_id > ${after} and t.level = any(${mailedLevels}) and t.kind = any(${summaryKinds})
      and u.email is not null and u.suspended_at is null
    group by t.user_id, u.email, u.language order by t.user_id limit ${organizersPerPage}`);

/** Those in whose zone it is morning, who have got no mail today, and at whose events there is something new. */
async function listDue(tx: Transaction, organizers: Organizer[], now: Date): Promise<Organizer[]> {
  const userIds = organizers.map(({ userId }) => userId);
  const [zones, mails] = await Promise.all([
    tx.query<{ userId: string; timezone: string }>(sql`
      select distinct on (organizer_id) organizer_id as user_id, timezone from events
      where organizer_id = any(${userIds}::uuid[]) order by organizer_id, start_at desc, id desc`),
    tx.query<LastMail>(sql`
      select user_id, max(id::text)::uuid as id, max(created_at) as created_at from mails
      where user_id = any(${userIds}::uuid[]) and kind = 'summary' group by user_id`),
  ]);
  const zoneOf = new Map(zones.map(({ userId, timezone }) => [userId, timezone]));
  const lastOf = new Map(mails.map((mail) => [mail.userId, mail]));
  const due: Organizer[] = [];
  for (const organizer of organizers) {
    const [timezone, last] = [zoneOf.get(organizer.userId), lastOf.get(organizer.userId)];
    if (timezone === undefined || !isMorning(now, timezone)) continue;
    if (last && now.getTime() - last.createdAt.getTime() < pauseMs) continue;
    if (await hasNews(tx, organizer, last?.id ?? minId)) due.push(organizer);
  }
  return due;
}

function isMorning(now: Date, timezone: string): boolean {
  const { hour } = timeIn(now, timezone);
  return hour >= morning && hour < endOfMorning;
}

/** @param lastId the id of the mail before: a summary has the id of its newest cause */
async function hasNews(tx: Transaction, { userId, kinds }: Organizer, lastId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from (${unreadSummaries(userId)}) s where s.kind = any(${kinds}) and s.id > ${lastId} limit 1`);
  return rows.length > 0;
}
