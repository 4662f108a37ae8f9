import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { HealthStatus } from './schemas.ts';
import type { HealthServices } from './services.ts';

/** The readiness check. */
export const isReady = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  operationId: 'isReady',
  tag: 'Server',
  summary: 'Readiness check',
  description:
    '200 while the database responds and its schema is current, otherwise 503. Send the server no requests while ' +
    'this check fails. The result is at most one second old.',
  access: 'public',
  response: { 200: HealthStatus },

  async handler(_request, { checkReadiness }: HealthServices) {
    if (!(await checkReadiness())) throw new Problem('unavailable');
    return { status: 200, body: { status: 'ok' as const } };
  },
});
