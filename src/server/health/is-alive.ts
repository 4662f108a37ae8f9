import { defineEndpoint } from '../../http/define-endpoint.ts';
import { HealthStatus } from './schemas.ts';

export const isAlive = defineEndpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Liveness check',
  description: '200 while the process responds to requests. Does not query the database.',
  caller: 'none',
  uncached: true,
  response: { 200: HealthStatus },

  handler: () => ({ status: 200, body: { status: 'ok' as const } }),
});
