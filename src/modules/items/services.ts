import { createIdempotentBatcher, type IdempotentBatcher } from '../../idempotency/idempotent-batcher.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { applyClaims, type ClaimCommand, claimKey } from './apply-claims.ts';
import { createItemLoaders, type ItemLoaders } from './item-loaders.ts';
import type { ClaimRow } from './present.ts';

export type ItemServices = AttendanceServices & {
  items: ItemLoaders;
  /** Makes, changes and deletes claims. */
  claims: IdempotentBatcher<ClaimCommand, ClaimRow>;
};

export const createItemServices = ({
  db,
  clock,
  flags,
}: AttendanceServices): Pick<ItemServices, 'items' | 'claims'> => ({
  items: createItemLoaders(db),
  claims: createIdempotentBatcher(async (entries, mayWaitForLocks) => {
    const context = { now: clock(), claimsEnabled: await flags.isOn('claims') };
    return applyClaims(db, entries, context, mayWaitForLocks);
  }, claimKey),
});
