import { type FlagName, flagTable } from '../../../flags/flags.ts';
import type { Flag } from './schemas.ts';

/** @param changedAt null if no admin has switched the flag */
export const toFlag = (name: FlagName, enabled: boolean, changedAt: Date | null): Flag => ({
  name,
  enabled,
  description: flagTable[name],
  changedAt,
});
