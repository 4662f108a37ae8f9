import type { BatchWriter } from '../../idempotency/batch-writer.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { type ClaimCommand, createClaimWriter } from './claims/apply.ts';
import { type ClaimantLoader, createClaimantLoader } from './claims/claimants.ts';
import { createItemLoaders, type ItemLoaders } from './item-loaders.ts';
import type { ClaimRow } from './present.ts';

export type ItemServices = AttendanceServices & {
  items: ItemLoaders;
  findClaimants: ClaimantLoader;
  /** Makes, changes and deletes claims. */
  claims: BatchWriter<ClaimCommand, ClaimRow>;
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
  claims: createClaimWriter({ db, clock, flags }),
});
