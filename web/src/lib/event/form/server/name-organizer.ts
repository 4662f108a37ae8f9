/** The name of an organizer who has none yet: an event is not published in a generated one. */
import { type Client, isProblem, updateMe } from '@potluck/client';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { m } from '#lib/messages/index.js';
import { toFormProblem } from '#lib/server/problems.ts';
import { hasGeneratedName } from '#lib/session/visitor.ts';
import type { FieldErrors } from './event-times.ts';

/** Stores the name that the form has. Adds a text to `fields` if it has none, or one that the API refuses. */
export async function nameOrganizer(
  { api, me }: { api: Client; me: App.Locals['me'] },
  { organizerName: name }: EventValues,
  fields: FieldErrors,
): Promise<void> {
  if (!me || !hasGeneratedName(me)) return;
  try {
    if (name === '') fields.organizerName = m.field_required();
    else await updateMe({ client: api, body: { name } });
  } catch (error) {
    if (!isProblem(error, 'invalid_request')) throw error;
    fields.organizerName = toFormProblem(error).fields.name ?? m.field_invalid();
  }
}
