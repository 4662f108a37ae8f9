import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { registry } from '../../http/metrics.ts';
import { Problem } from '../../lib/errors.ts';
import type { HealthServices } from './services.ts';

export const getMetrics = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Read metrics for Prometheus',
  description:
    'Counters, gauges and histograms of this server in the text format of Prometheus. A server with several processes has ' +
    'the samples of all, with the label `worker`. No metric identifies a person. For programs beside the server: a request ' +
    'with the header `X-Forwarded-For` or `Forwarded`, which proxies add, results in a 404.',
  caller: 'none',
  uncached: true,
  response: { 200: Type.String() },
  problems: ['route_not_found'],

  async handler({ request: { headers } }, { readMetrics }: HealthServices) {
    // Whether the server trusts the proxy does not matter: a client that forges the header refuses itself.
    if (headers['x-forwarded-for'] ?? headers.forwarded) throw new Problem('route_not_found');
    return { statusCode: 200, contentType: registry.contentType, content: await readMetrics() };
  },
});
