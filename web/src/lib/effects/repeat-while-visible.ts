/**
 * Repeats `work` while the page is visible and there is a connection, and as soon as the page becomes visible again. The next
 * run waits for the end of the one before.
 * @returns a function that stops it
 */
export function repeatWhileVisible(work: () => unknown, everyMs: number): () => void {
  let isRunning = false;
  const run = async () => {
    if (isRunning || document.visibilityState !== 'visible' || !navigator.onLine) return;
    isRunning = true;
    try {
      await work();
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(run, everyMs);
  document.addEventListener('visibilitychange', run);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', run);
  };
}
