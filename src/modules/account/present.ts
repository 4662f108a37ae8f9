import { toClaim } from '../items/present.ts';
import type { OwnClaimRow } from './repo.ts';
import type { OwnClaim } from './schemas.ts';

export const toOwnClaim = (row: OwnClaimRow): OwnClaim => ({
  ...toClaim(row),
  item: row,
  event: { ...row, id: row.eventId, title: row.eventTitle },
});
