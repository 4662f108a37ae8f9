import type { RecordKind } from '#fresh-records';

/**
 * The kinds of cached records. Their numbers are in the versions of the change log, so they keep them. A kind whose
 * versions get another meaning gets another number.
 */
export const recordKinds = { event: 0, person: 1, session: 2 } as const satisfies Record<string, RecordKind>;
