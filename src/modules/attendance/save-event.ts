import { Type } from 'typebox';
import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { body as bodySchema, named } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { visibleCondition } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import type { AttendanceServices } from './services.ts';

const Save = bodySchema({ saved: Type.Boolean() }, { examples: [{ saved: true }] });

const SaveState = named('SaveState', Type.Object({ isSaved: Type.Boolean() }));

export const saveEvent = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/events/:id/save',
  tag: 'Events',
  summary: 'Save an event, or remove it from your saved events',
  description: '`saved: false` removes it from the saved events. Repeating the request changes nothing.',
  caller: 'fresh',
  params: EventParams,
  body: Save,
  response: { 200: SaveState },
  problems: ['event_not_found'],

  async handler({ caller, params, body }, { db, clock }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { saved } = body;
    const isFound = await actAs(db, caller, (tx, caller) => setSaved(tx, eventId, caller, saved, clock()));
    if (!isFound) throw new Problem('event_not_found');
    return { status: 200, body: { isSaved: saved } };
  },
});

/**
 * Saves an event for a person or removes it from the saved events. A repetition changes nothing. An event
 * that was hidden after the person saved it can still be removed.
 * @returns false if there is no such event for the viewer
 */
async function setSaved(
  tx: Transaction,
  eventId: string,
  viewer: Viewer,
  saved: boolean,
  now: Date,
): Promise<boolean> {
  const [event] = await tx.query<{ isVisible: boolean }>(sql`
    select ${visibleCondition(viewer)} as is_visible from events e where e.id = ${eventId} for key share`);
  if (!saved) {
    const count = await tx.execute(
      sql`delete from saves where event_id = ${eventId} and user_id = ${viewer.id}`,
    );
    return count > 0 || event?.isVisible === true;
  }
  if (!event?.isVisible) return false;
  await tx.query(sql`
    insert into saves (event_id, user_id, created_at) values (${eventId}, ${viewer.id}, ${now})
    on conflict do nothing`);
  return true;
}
