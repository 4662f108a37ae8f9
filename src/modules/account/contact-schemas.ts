import { Type } from 'typebox';
import { body } from '../../http/schemas.ts';
import { code, country, email, phone } from '../auth/schemas.ts';

const endOtherSessions = Type.Optional(
  Type.Boolean({ description: 'Also signs the other devices of the account out. Default: false.' }),
);

export const NewEmail = body({ email }, { examples: [{ email: 'mara@example.org' }] });
export const NewPhone = body({ phone, country }, { examples: [{ phone: '+12025550102' }] });
export const ContactProof = body({ code, endOtherSessions }, { examples: [{ code: '493027' }] });
export const ContactRemoval = Type.Object({ endOtherSessions });
