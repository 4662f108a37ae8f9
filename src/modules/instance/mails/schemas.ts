import { type Static, Type } from 'typebox';
import { languages } from '../../../../web/src/lib/language/languages.ts';
import { cursorQuery } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { mailStates } from '../../../mail/mails.ts';
import { storedMailKinds } from '../../notifications/schemas.ts';

const exampleId = { examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] };
const id = Type.String(exampleId);

export const MailQuery = Type.Object({
  state: Type.Optional(oneOf(mailStates, { description: 'Mails in this state. Default: all mails.' })),
  ...cursorQuery,
});
const address = Type.String({ examples: ['noor@example.org'] });
export const AdminMail = named(
  'AdminMail',
  Type.Object({
    id: Type.String({ description: 'Also the `Message-ID`, before the `@`.', ...exampleId }),
    kind: oneOf(storedMailKinds),
    userId: Type.String({ description: 'The recipient.', ...exampleId }),
    address,
    state: oneOf(mailStates, {
      description:
        '`queued`: to be sent. `sent`: the mail server has accepted it. `failed`: the mail server refused it for good, or for ' +
        'two days. `suppressed`: not sent, because the mail server had refused the address for good before.',
      examples: ['sent'],
    }),
    attempts: Type.Integer({ examples: [1] }),
    reply: Type.String({
      description: "The mail server's last words; empty before the first attempt.",
      examples: ['250 2.0.0 Ok: queued as 4F1C2'],
    }),
    createdAt: timestamp(),
    dueAt: nullable(timestamp(), { description: 'When it is sent next; null unless it is queued.' }),
    endedAt: nullable(timestamp(), { description: 'When it was sent, failed or was suppressed.' }),
  }),
);
export type AdminMail = Static<typeof AdminMail>;

export const TestMail = body(
  {
    address: Type.String({
      maxLength: 254,
      description: 'Where the mail goes.',
      examples: ['noor@example.org'],
    }),
    language: Type.Optional(oneOf(languages, { description: 'Default: `en`.' })),
  },
  { examples: [{ address: 'noor@example.org' }] },
);

export const QueuedMailId = named('QueuedMailId', Type.Object({ id }));
