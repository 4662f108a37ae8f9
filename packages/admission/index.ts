/** Who may have how much of a server: of its requests at a time, of its time, of its requests in a minute. */
export { paceOf } from './body-pace.ts';
export { discardBody, isLingering } from './lingering.ts';
export { OpenRequest, OpenRequests, type RequestState, type Transport } from './open-requests.ts';
export { type Due, SharedCounts, type Totals, windowMs } from './shared-counts.ts';
export { type TurnRule, Turns } from './turns.ts';
