import { FairQueue } from '../../lib/fair-queue.ts';

/** Statements of lists and maps may be expensive: few run at a time, and clients take turns. */
export const createStatementQueue = (): FairQueue =>
  new FairQueue({ concurrency: 3, maxWaitingPerClient: 100, maxWaiting: 1_000, timeoutMs: 4_500 });
