import { toClaim } from '../items/present.ts';
import type { OwnClaimRow } from './repo.ts';
import type { OwnClaim } from './schemas.ts';

export const toOwnClaim = (row: OwnClaimRow): OwnClaim => ({
  ...toClaim(row),
  item: { title: row.title, kind: row.kind, emoji: row.emoji },
  event: {
    id: row.eventId,
    title: row.eventTitle,
    startAt: row.startAt.toISOString(),
    endAt: row.endAt.toISOString(),
    allDay: row.allDay,
    timezone: row.timezone,
    status: row.status,
  },
});
