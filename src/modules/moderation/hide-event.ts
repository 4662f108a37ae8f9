import { recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { type AuditContext, auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { insertCauses } from '../../outbox/causes.ts';
import { hideEvent as hide, showEvent as show } from '../events/hide-event.ts';
import { EventParams } from '../events/schemas.ts';
import { resolveReportsOf } from './reports/repo.ts';
import { HiddenEvent, HidingReason } from './schemas.ts';

const common = {
  path: '/v1/admin/events/:id/hidden',
  caller: 'admin',
  params: EventParams,
  response: { 200: HiddenEvent },
  problems: ['event_not_found'],
} as const;

export const hideEvent = defineEndpoint({
  ...common,
  method: 'PUT',
  summary: 'Hide an event',
  description:
    'For admins. From the response on, the event results in a 404 for all but its organizer and admins, and the organizer ' +
    'cannot undo it. The organizer reads the reason and is notified. Open reports about the event are resolved. A second ' +
    'request changes the reason.',
  body: HidingReason,

  async handler({ caller, params, body, request }, services: BaseServices) {
    const id = readId(params.id, 'event_not_found');
    const context = auditContextOf(services, request, caller.id);
    const hidden = await actAsAdmin(services.db, caller, (tx) =>
      hideInTransaction(tx, { id, adminId: caller.id, reason: body.reason }, context),
    );
    return { status: 200, body: { id, hidden } };
  },
});

async function hideInTransaction(
  tx: Transaction,
  { id, adminId, reason }: { id: string; adminId: string; reason: string },
  context: AuditContext,
) {
  const found = await hide(tx, id, { reason, now: context.now });
  if (!found) throw new Problem('event_not_found');
  const { organizerId, hidden, change } = found;
  const subject = { type: 'event', id, aboutId: organizerId } as const;
  await resolveReportsOf(tx, subject, { note: reason, now: context.now });
  if (!change) return hidden;
  const cause = {
    userId: organizerId,
    kind: 'eventHidden',
    subjectId: id,
    actorId: adminId,
    amount: 1,
  } as const;
  await tx.execute(insertCauses([cause]));
  await recordAudit(tx, context, { userId: organizerId }, 'event_hidden', `${id} ${reason}`);
  await recordChange(tx, change);
  return hidden;
}

export const showEvent = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Show an event that an admin hides',
  description:
    'For admins. The event becomes visible as its own visibility says, with its RSVPs, bookings and claims. Its reports stay ' +
    'resolved.',

  async handler({ caller, params, request }, services: BaseServices) {
    const id = readId(params.id, 'event_not_found');
    const context = auditContextOf(services, request, caller.id);
    await actAsAdmin(services.db, caller, async (tx) => {
      const found = await show(tx, id);
      if (!found) throw new Problem('event_not_found');
      if (!found.change) return;
      await recordAudit(tx, context, { userId: found.organizerId }, 'event_shown', id);
      await recordChange(tx, found.change);
    });
    return { status: 200, body: { id, hidden: null } };
  },
});
