import type { Session } from './schemas.ts';
import type { SessionListRow } from './session-repo.ts';

/** @param currentId the id of the session that sent the request */
export const toSession = (row: SessionListRow, currentId: string): Session => ({
  id: row.id,
  isCurrent: row.id === currentId,
  userAgent: row.userAgent,
  createdAt: row.createdAt.toISOString(),
  refreshedAt: row.refreshedAt.toISOString(),
  expiresAt: row.refreshExpiresAt.toISOString(),
});
