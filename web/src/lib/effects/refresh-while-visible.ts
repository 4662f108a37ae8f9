import { invalidate } from '$app/navigation';
import { repeatWhileVisible } from './repeat-while-visible.ts';

/** In ms. */
const interval = 4_000;

type Dependency = `${string}:${string}`;

/** What the page follows. One request loads all of it. */
const followed = new Set<string>();
let stop: (() => void) | undefined;

/**
 * Loads data again every few seconds while the page is visible, and as soon as it becomes visible again.
 * @returns a function that stops it
 */
export function refreshWhileVisible(dependency: Dependency): () => void {
  followed.add(dependency);
  stop ??= repeatWhileVisible(() => invalidate(({ href }) => followed.has(href)), interval);
  return () => {
    followed.delete(dependency);
    if (followed.size > 0) return;
    stop?.();
    stop = undefined;
  };
}
