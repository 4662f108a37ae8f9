import { defineModule } from '../../http/define-module.ts';
import { getMetrics } from './get-metrics.ts';
import { isAlive } from './is-alive.ts';
import { isReady } from './is-ready.ts';
import type { HealthServices } from './services.ts';

/** Liveness, readiness and metrics, for the operator of the server. */
export const health = defineModule<HealthServices>({
  tag: 'Server',
  endpoints: { isAlive, isReady, getMetrics },
});
