import { FairQueue } from '../../lib/fair-queue.ts';

/**
 * Statements of lists, maps and feeds may be expensive: few run at a time, which leaves connections to cheaper requests, and
 * clients take turns.
 */
export const createStatementQueue = (): FairQueue =>
  new FairQueue({ concurrency: 3, maxWaitingPerClient: 100, maxWaiting: 1_000, timeoutMs: 4_500 });
