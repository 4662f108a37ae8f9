import { createIdempotentBatcher, type IdempotentBatcher } from '../../idempotency/idempotent-batcher.ts';
import { formatItemId } from '../../lib/ids.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { applyClaims, type ClaimCommand, claimKey } from './apply-claims.ts';
import { type ClaimantLoader, createClaimantLoader } from './claimants.ts';
import { createItemLoaders, type ItemLoaders } from './item-loaders.ts';
import type { ClaimRow } from './present.ts';

export type ItemServices = AttendanceServices & {
  items: ItemLoaders;
  findClaimants: ClaimantLoader;
  /** Makes, changes and deletes claims. */
  claims: IdempotentBatcher<ClaimCommand, ClaimRow>;
};

export const createItemServices = ({
  db,
  clock,
  flags,
  isGuest,
  config,
}: AttendanceServices): Pick<ItemServices, 'items' | 'findClaimants' | 'claims'> => ({
  items: createItemLoaders(db),
  findClaimants: createClaimantLoader(db, isGuest, config.publicUrl),
  claims: createIdempotentBatcher(
    async (entries, waits) => {
      const context = { now: clock(), claimsEnabled: await flags.isOn('claims') };
      return applyClaims(db, entries, context, waits);
    },
    { keyOf: claimKey, targetOf: ({ item }) => formatItemId(item) },
  ),
});
