import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { registry } from '../../http/metrics.ts';

export const getMetrics = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Read metrics for Prometheus',
  description:
    'Counters, gauges and histograms of this process in the text format of Prometheus. No metric identifies a person.',
  access: 'public',
  uncached: true,
  response: { 200: Type.String() },

  async handler() {
    return { statusCode: 200, contentType: registry.contentType, content: await registry.metrics() };
  },
});
