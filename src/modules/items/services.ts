import { type BatchWriter, createBatchWriter } from '../../idempotency/batch-writer.ts';
import { formatItemId } from '../../lib/ids.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { type ClaimCommand, claimKey, claimRules } from './apply-claims.ts';
import { type ClaimantLoader, createClaimantLoader } from './claimants.ts';
import { createItemLoaders, type ItemLoaders } from './item-loaders.ts';
import type { ClaimRow } from './present.ts';
import { createRefusalFinder, createUsedUpItems, type RefusalFinder } from './refused-claims.ts';

export type ItemServices = AttendanceServices & {
  items: ItemLoaders;
  findClaimants: ClaimantLoader;
  /** Makes, changes and deletes claims. */
  claims: BatchWriter<ClaimCommand, ClaimRow>;
  /** For claims without an idempotency key. */
  findRefusal: RefusalFinder;
};

export function createItemServices(
  services: AttendanceServices,
): Pick<ItemServices, 'items' | 'findClaimants' | 'claims' | 'findRefusal'> {
  const { db, clock, flags, isGuest, config } = services;
  const usedUp = createUsedUpItems();
  return {
    items: createItemLoaders(db),
    findClaimants: createClaimantLoader(db, isGuest, config.publicUrl),
    claims: createBatchWriter({
      db,
      clock,
      keyOf: claimKey,
      targetOf: ({ item }) => formatItemId(item),
      rules: async (now) => claimRules({ now, claimsEnabled: await flags.isOn('claims'), usedUp }),
    }),
    findRefusal: createRefusalFinder(services, usedUp),
  };
}
