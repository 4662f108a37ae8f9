/**
 * Work that follows the state of a page. A component calls these functions in place of `$effect`, which follows all that
 * its body reads before the first `await`: work that loads data and reads some of them would run again after each load.
 */
import { untrack } from 'svelte';

/** Loads of data replace objects by new ones with the same content, but not these values. */
type Value = string | number | boolean | null | undefined;

/** Returns a function that ends the work, or nothing, as the function of `$effect` does. */
type Work<T> = (value: T) => ReturnType<Parameters<typeof $effect>[0]>;

/**
 * Runs `work` with the value that `read` returns when the component appears, and once for each other value. What `work`
 * reads itself is not followed, so it may load the data of the page again.
 */
export const onValue: <V extends Value>(read: () => V, work: Work<V>) => void = follow;

/** Runs `work` for each new object, so also when data are loaded again. `work` must not send anything. */
export const onObject: <O extends object | null | undefined>(read: () => O, work: Work<O>) => void = follow;

function follow<T>(read: () => T, work: Work<T>): void {
  const value = $derived(read());
  $effect(() => {
    const current = value;
    return untrack(() => work(current));
  });
}

/** As `onValue`, but before the page shows the value. */
export function beforeShown<V extends Value>(read: () => V, work: (value: V) => void): void {
  const value = $derived(read());
  $effect.pre(() => {
    const current = value;
    untrack(() => work(current));
  });
}
