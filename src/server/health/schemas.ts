import { Type } from 'typebox';
import { outageNames } from '../../http/outage-log.ts';
import { named, oneOf } from '../../http/schemas.ts';

export const HealthStatus = named('HealthStatus', Type.Object({ status: Type.Literal('ok') }));

export const Readiness = named(
  'Readiness',
  Type.Object({
    status: Type.Literal('ok'),
    replicas: Type.Optional(
      Type.Object(
        { configured: Type.Integer({ examples: [2] }), usable: Type.Integer({ examples: [2] }) },
        { description: 'Present only if the server has replicas of its database.' },
      ),
    ),
    outages: Type.Optional(
      Type.Array(oneOf(outageNames), {
        description:
          'Present only during an outage that leaves the server usable, for example without `image storage`. The log has ' +
          'the reasons.',
      }),
    ),
  }),
);
