import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { Readiness } from './schemas.ts';
import type { HealthServices } from './services.ts';

export const isReady = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Readiness check',
  description:
    '200 while the database responds and its schema is current, otherwise 503. Send the server no requests while ' +
    'this check fails. The result is at most one second old. Without replicas, the server reads from its primary ' +
    'database and stays ready. A server without image storage serves everything else, so `outages` names it and the ' +
    'status stays 200.',
  caller: 'none',
  uncached: true,
  response: { 200: Readiness },

  async handler(_request, { checkReadiness, replicas, outages }: HealthServices) {
    if (!(await checkReadiness())) throw new Problem('unavailable');
    const { states } = replicas.usable;
    const usable = states.filter(({ isUsable }) => isUsable).length;
    const { current } = outages;
    return {
      status: 200,
      body: {
        status: 'ok' as const,
        ...(states.length > 0 && { replicas: { configured: states.length, usable } }),
        ...(current.length > 0 && { outages: current }),
      },
    };
  },
});
