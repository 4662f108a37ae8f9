import { FairQueue, shareOf } from '#base';

/**
 * Statements of lists, maps and feeds may be expensive: few run at a time, which leaves connections to cheaper requests, and
 * clients take turns.
 */
export const createStatementQueue = (): FairQueue =>
  new FairQueue({
    concurrency: shareOf(3),
    maxWaitingPerClient: shareOf(100),
    maxWaiting: shareOf(1_000),
    timeoutMs: 4_500,
  });
