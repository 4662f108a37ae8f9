/** Imports and their entries as they leave the server. */
import type { EntryRow, Run } from './repo.ts';
import type { Import, ImportEntry } from './schemas.ts';

export function toImport({ id, status, counts, problem, progress, createdAt }: Run): Import {
  const { new: added = 0, changed = 0, same = 0, doubtful = 0, refused = 0, waiting = 0 } = counts;
  return {
    ...{ id, status, problem, progress, createdAt },
    counts: { new: added, changed, same, doubtful, refused, waiting },
    questions: [],
  };
}

export const toEntry = ({
  n,
  state,
  event,
  eventId,
  doubts,
  duplicates,
  line,
  reason,
}: EntryRow): ImportEntry => ({
  ...{ n, state, event, eventId, doubts, duplicates, line, reason },
});
