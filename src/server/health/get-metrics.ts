import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { registry } from '../../http/metrics.ts';
import type { HealthServices } from './services.ts';

export const getMetrics = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Read metrics for Prometheus',
  description:
    'Counters, gauges and histograms of this server in the text format of Prometheus. A server with several processes has ' +
    'the samples of all, with the label `worker`. No metric identifies a person.',
  access: 'public',
  uncached: true,
  response: { 200: Type.String() },

  async handler(_request, { readMetrics }: HealthServices) {
    return { statusCode: 200, contentType: registry.contentType, content: await readMetrics() };
  },
});
