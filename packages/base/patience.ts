/**
 * How long this process waits for the database, for places and for its own work. A server waits as long as people would.
 * Tests about other things wait longer, because a machine that does other work may be slow.
 */
let patience = 1;

/** A time limit in ms, as it is now: to be read where the limit is used. */
export const patient = (limitMs: number): number => limitMs * patience;

/** For tests alone. Connections that are open keep their limits. @param factor 1 in every server */
export function setPatience(factor: number): void {
  patience = factor;
}
