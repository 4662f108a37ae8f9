import { Type } from 'typebox';
import { body, named, oneOf } from '../../../http/schemas.ts';

const roles = ['user', 'admin'] as const;

export const NewRole = body({ role: oneOf(roles) }, { examples: [{ role: 'admin' }] });
export const Role = named(
  'RoleState',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    role: oneOf(roles),
  }),
);
