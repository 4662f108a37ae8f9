/** Requests that a page sends to the API inside the process, while the server renders it. */
import { AsyncLocalStorage } from 'node:async_hooks';

const calls = new AsyncLocalStorage<true>();

/** Runs `work`, whose injected requests count as part of the page. No header can claim the same. */
export const runAsPageCall = <T>(work: () => T): T => calls.run(true, work);

/** Whether a page sends the current request. The rate limit has counted the page. */
export const isPageCall = (): boolean => calls.getStore() === true;
