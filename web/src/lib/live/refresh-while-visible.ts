import { invalidate } from '$app/navigation';

/** In ms. */
const interval = 4_000;

/**
 * Loads data again every few seconds while the page is visible, and as soon as it becomes visible again.
 * @returns a function that stops it
 */
export function refreshWhileVisible(dependency: `${string}:${string}`): () => void {
  let isLoading = false;
  const refresh = async () => {
    if (isLoading || document.visibilityState !== 'visible') return;
    isLoading = true;
    await invalidate(dependency).finally(() => {
      isLoading = false;
    });
  };
  const timer = setInterval(refresh, interval);
  document.addEventListener('visibilitychange', refresh);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', refresh);
  };
}
