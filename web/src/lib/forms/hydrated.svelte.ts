/** Whether scripts run on this page. Controls that need none are replaced then. */
import { onMount } from 'svelte';

export function createHydrated(): { readonly current: boolean } {
  let isHydrated = $state(false);
  onMount(() => {
    isHydrated = true;
  });
  return {
    get current() {
      return isHydrated;
    },
  };
}
