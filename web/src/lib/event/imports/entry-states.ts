/** The states of entries, as pages name them. */
import type { ImportEntry } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export const entryStates: Record<ImportEntry['state'], () => string> = {
  new: m.import_new,
  changed: m.import_changed,
  doubtful: m.import_doubtful,
  refused: m.import_refused,
  same: m.import_same,
  skipped: m.import_skipped,
};
