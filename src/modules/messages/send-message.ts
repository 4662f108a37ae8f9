import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { UserParams } from '../users/schemas.ts';
import { readUserId } from '../users/user-id.ts';
import { requirePerson } from './policy.ts';
import { toMessage } from './present.ts';
import { Message, NewMessage } from './schemas.ts';
import type { MessageServices } from './services.ts';

export const sendMessage = defineEndpoint({
  method: 'POST',
  path: '/v1/users/:id/messages',
  summary: 'Send a message to a person',
  description:
    'A block in either direction prevents messages between two people; otherwise the caller may send messages to ' +
    'anyone, also to people with a private profile. The operator limits the messages of a person in a minute, by ' +
    'default to 60; one more results in a 429.',
  access: 'required',
  idempotent: true,
  params: UserParams,
  body: NewMessage,
  response: { 201: Message },
  problems: ['user_not_found', 'self_relation', 'blocked', 'feature_disabled'],

  async handler({ caller, params, body, idempotency }, services: MessageServices) {
    const { people, flags, messages } = services;
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    if (participants.otherId === caller.id) throw new Problem('self_relation');
    // A missing recipient would leave the batch and be retried individually, which is serial and therefore
    // slow.
    await requirePerson(people, participants.otherId);
    await flags.require('messages');
    const command = { caller, otherId: participants.otherId, text: body.text };
    return messages.respond(command, idempotency, 201, (row) => toMessage(participants, row));
  },
});
