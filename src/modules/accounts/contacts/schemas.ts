import { Type } from 'typebox';
import { body } from '../../../http/schemas.ts';
import { code, country, email, phone } from '../codes/schemas.ts';

const endOtherSessions = Type.Optional(
  Type.Boolean({ description: 'Also signs the other devices of the account out. Default: false.' }),
);

/** Of a contact that the account has already. */
export const confirmCode = Type.Optional(
  Type.String({
    maxLength: 20,
    description:
      'The newest code of POST /v1/me/contact-code. Required unless the session began in the last ten minutes (403 ' +
      '`confirmation_required`).',
  }),
);

export const NewEmail = body({ email }, { examples: [{ email: 'mara@example.org' }] });
export const NewPhone = body({ phone, country }, { examples: [{ phone: '+12025550102' }] });
export const ContactProof = body({ code, confirmCode, endOtherSessions }, { examples: [{ code: '493027' }] });
export const ContactRemoval = Type.Object({ confirmCode, endOtherSessions });
