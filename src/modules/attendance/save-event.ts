import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { body as bodySchema, named } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { setSaved } from './saves.ts';
import type { AttendanceServices } from './services.ts';

const Save = bodySchema({ saved: Type.Boolean() }, { examples: [{ saved: true }] });

const SaveState = named('SaveState', Type.Object({ isSaved: Type.Boolean() }));

export const saveEvent = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/save',
  tag: 'Events',
  summary: 'Save an event, or remove it from your saved events',
  description: '`saved: false` removes it from the saved events. Repeating the request changes nothing.',
  access: 'required',
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
