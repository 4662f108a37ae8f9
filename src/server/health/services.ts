import type { BaseServices } from '../../http/services.ts';
import { createReadinessCheck } from './readiness-check.ts';

export type HealthServices = BaseServices & { checkReadiness: () => Promise<boolean> };

export const createHealthServices = ({ db }: BaseServices) => ({ checkReadiness: createReadinessCheck(db) });
