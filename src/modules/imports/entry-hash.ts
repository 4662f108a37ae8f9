/** A hash over what an entry says, by which a source sees what has changed. */
import { createHash } from 'node:crypto';
import type { ChosenEntry } from './choose-dates.ts';

/** Where the entry stands, what was mended, its stamps, and what identifies it; also of the entries that change its dates. */
const omitted = new Set([
  ...['line', 'uid', 'notes', 'sequence', 'modified', 'key', 'formerKeys', 'ofSeries', 'partOf'],
]);

export const hashOfEntry = (entry: ChosenEntry): string =>
  createHash('sha256')
    .update(JSON.stringify(entry, (name, value) => (omitted.has(name) ? undefined : value)))
    .digest('base64url');
