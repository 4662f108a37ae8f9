import { dayMs, hourMs } from '#base';
import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { IdempotencyContext } from '../../idempotency/context.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { requireOrganizer } from '../events/policy.ts';
import { EventParams, SeriesParams } from '../events/schemas.ts';
import { lockOwnInvitation, present } from './invitation.ts';
import type { InvitedTo } from './invited-dates.ts';
import { quotaExceeded } from './limits.ts';
import { lockSubject, newSend } from './make-invitations.ts';
import { mayRemind } from './may-leave.ts';
import { type InvitationRow, selectInvitations } from './repo.ts';
import { Invitation, InvitationParams, Reminded } from './schemas.ts';
import { insertSends, lockSends } from './sends.ts';
import type { InvitationServices } from './services.ts';
import { isWayOn, readWays, wayOf } from './ways.ts';

const maxReminders = 2;
const [firstPauseMs, pauseMs] = [dayMs, 48 * hourMs];
const maxResends = 3;

const common = {
  method: 'POST',
  retry: 'idempotent',
  caller: 'fresh',
  response: { 202: Reminded },
} as const;

export const remindInvited = defineEndpoint({
  ...common,
  path: '/v1/events/:id/invitations/remind',
  summary: 'Remind people who have not answered',
  description:
    'For the organizer of the event and admins. Reminds each person whose invitation was sent and has no answer: at most twice, 48 hours ' +
    'apart, not in the first 24 hours, and not after the start of the event.',
  params: EventParams,
  problems: ['event_not_found', 'not_organizer'],

  handler({ caller, params, idempotency }, services: InvitationServices) {
    const to = { subjectId: readId(params.id, 'event_not_found'), isOfSeries: false };
    return remindOf(services, caller, idempotency, to);
  },
});

export const remindInvitedToSeries = defineEndpoint({
  ...common,
  path: '/v1/series/:id/invitations/remind',
  summary: 'Remind people who have not answered an invitation to a series',
  description: 'For the organizer of the series and admins, as of an event; not without a coming date.',
  params: SeriesParams,
  problems: ['series_not_found', 'not_organizer'],

  handler({ caller, params, idempotency }, services: InvitationServices) {
    const to = { subjectId: readId(params.id, 'series_not_found'), isOfSeries: true };
    return remindOf(services, caller, idempotency, to);
  },
});

const remindOf = (
  services: InvitationServices,
  caller: Caller,
  idempotency: IdempotencyContext,
  to: InvitedTo,
) =>
  runIdempotent(services, caller, idempotency, async (tx, caller) => ({
    status: 202 as const,
    body: { recipients: await remind(tx, services, caller, to) },
  }));

/** Locks what `makeInvitations` locks: of two requests, the second reminds nobody again. @returns how many people are reminded */
async function remind(
  tx: Transaction,
  { config, clock }: InvitationServices,
  caller: Caller,
  to: InvitedTo,
): Promise<number> {
  const { subjectId } = to;
  const now = clock();
  const planner = await lockSends(tx, caller.id, now);
  const { event } = await lockSubject(tx, to, caller, now);
  requireOrganizer(event, caller);
  if (!mayRemind(event, now)) return 0;
  const due = await lockDue(tx, subjectId, now);
  const sends = due.map((row) =>
    planner.plan(newSend(row, { isReminder: true, secretKey: config.secretKey })),
  );
  await insertSends(tx, sends);
  const waiting = sends.filter((send) => send.dueAt > now).map(({ invitationId }) => invitationId);
  await tx.execute(sql`
    update invitations set reminders = reminders + 1, reminded_at = ${now},
      delivery = case when id = any(${waiting}::uuid[]) then 'queued' else delivery end
    where subject_id = ${subjectId} and id = any(${due.map(({ id }) => id)}::uuid[])`);
  return due.length;
}

/** Locks the invitations that can be reminded of now. */
async function lockDue(tx: Transaction, subjectId: string, now: Date): Promise<InvitationRow[]> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const due = sql`
    i.status = 'pending' and i.delivery = 'sent' and i.reminders < ${maxReminders}
    and i.created_at <= ${before(firstPauseMs)} and (i.reminded_at is null or i.reminded_at <= ${before(pauseMs)})`;
  return await tx.query<InvitationRow>(
    selectInvitations(sql`where i.subject_id = ${subjectId} and ${due} order by i.id for update`),
  );
}

export const sendInvitationAgain = defineEndpoint({
  method: 'POST',
  retry: 'idempotent',
  path: '/v1/invitations/:id/send',
  summary: 'Send an invitation again',
  description: 'For the organizer of its event and admins: one that failed, at most three times (429).',
  caller: 'fresh',
  params: InvitationParams,
  response: { 202: Invitation },
  problems: ['invitation_not_found', 'not_organizer', 'not_failed', 'quota_exceeded'],

  handler({ caller, params, idempotency }, services: InvitationServices) {
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const { config, clock } = services;
      const planner = await lockSends(tx, caller.id, clock());
      const row = await lockOwnInvitation(tx, params.id, caller);
      if (row.delivery !== 'failed') throw new Problem('not_failed');
      if (row.resends >= maxResends)
        throw quotaExceeded(`An invitation is sent again at most ${maxResends} times.`);
      const isOn = isWayOn(await readWays(services), wayOf(row));
      if (isOn)
        await insertSends(tx, [
          planner.plan(newSend(row, { isReminder: false, secretKey: config.secretKey })),
        ]);
      const next: InvitationRow = {
        ...row,
        resends: row.resends + 1,
        delivery: isOn ? 'queued' : 'failed',
      };
      await tx.execute(sql`
        update invitations set resends = ${next.resends}, delivery = ${next.delivery}
        where subject_id = ${row.subjectId} and id = ${row.id}`);
      return { status: 202 as const, body: await present(tx, next, caller, config) };
    });
  },
});
