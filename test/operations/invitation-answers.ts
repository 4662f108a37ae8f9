/** Answers by invitations. The access matrix calls them without an invitation, because a row has no header of its own. */
import { randomUUID } from 'node:crypto';
import { cursorPage } from './fields.ts';
import { asking, type Operation, of, optional, required, row, withToken } from './operation.ts';
import { integer, listOf, object, oneOf, opaque, orNull, personName, prose, quantity } from './rules.ts';

const claim = object({
  required: { itemId: opaque, quantity },
  optional: { note: orNull(opaque) },
});
const answer = of(
  { status: oneOf('going', 'interested', 'declined') },
  {
    ...{ name: personName(80), extraGuests: integer(0, 10), reply: prose(300) },
    claims: listOf(claim, 0, 10),
  },
);
const statuses = [404, 401, 404, 404, 404, 404, 404, 401];

export const invitationAnswerOperations: Record<string, Operation> = {
  'GET /v1/invitation': { ...optional(), ...row({ statuses }) },
  'POST /v1/invitation/answer': {
    ...optional(),
    ...answer,
    example: () => ({ status: 'going' }),
    ...row({ statuses, browserStatuses: [404, 403] }),
  },
  'GET /v1/me/invitations': { ...required(), ...asking(cursorPage) },
  'POST /v1/me/invitations/{id}/answer': {
    ...required(),
    ...answer,
    example: () => ({ status: 'going' }),
    ...row({ statuses: withToken(404), path: () => `/v1/me/invitations/${randomUUID()}/answer` }),
  },
};
