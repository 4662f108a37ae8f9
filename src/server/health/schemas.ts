import { Type } from 'typebox';

export const HealthStatus = Type.Object({ status: Type.Literal('ok') });

export const Readiness = Type.Object({
  status: Type.Literal('ok'),
  replicas: Type.Optional(
    Type.Object(
      { configured: Type.Integer({ examples: [2] }), usable: Type.Integer({ examples: [2] }) },
      { description: 'Present only if the server has replicas of its database.' },
    ),
  ),
});
